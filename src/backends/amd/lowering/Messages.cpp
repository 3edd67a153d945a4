// Printing and assertions: messages in memory that the launch passes, since a kernel cannot call the host.
// backends/MessageBuffer.h describes them.
#include "backends/amd/lowering/AmdEmitter.h"
#include "numerics/PrintedText.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace triton::amd {

constexpr unsigned wordBytes = 8, headerBytes = 2 * wordBytes;

static Value load(Emitter &emitter, Value pointer) {
  return LLVM::LoadOp::create(emitter.b, emitter.b.getI64Type(), pointer, wordBytes);
}

/// Each thread that comes here claims words of its own and writes the message there, if there is room for it.
static void leaveMessage(Emitter &emitter, unsigned number, ValueRange values) {
  auto &b = emitter.b;
  SmallVector<unsigned> offsets;
  unsigned bytes = 0;
  for (Value value : values) {
    unsigned size = value.getType().getIntOrFloatBitWidth() / 8;
    bytes = llvm::alignTo(bytes, size);
    offsets.push_back(bytes);
    bytes += size;
  }
  uint64_t words = 1 + llvm::divideCeil(bytes, wordBytes);
  Value buffer = emitter.messageBuffer(), count = emitter.i64(int64_t(words));
  Value place = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, buffer, count, LLVM::AtomicOrdering::monotonic,
                                          "agent", wordBytes);
  Value room = load(emitter, emitter.offsetPointer(buffer, int64_t(wordBytes)));
  Value end = LLVM::AddOp::create(b, place, count);
  Value fits = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ule, end, room);
  emitter.emitIf(fits, [&] {
    Value offset = LLVM::AddOp::create(b, emitter.shiftLeft(place, llvm::Log2_32(wordBytes)), emitter.i64(headerBytes));
    Value message = emitter.offsetPointer(buffer, offset);
    LLVM::StoreOp::create(b, emitter.i64(int64_t(words << 32 | number)), message, wordBytes);
    for (auto [value, at] : llvm::zip_equal(values, offsets))
      LLVM::StoreOp::create(b, value, emitter.offsetPointer(message, int64_t(wordBytes) + at),
                            value.getType().getIntOrFloatBitWidth() / 8);
  });
}

void AmdEmitter::emitPrint(Emitter &emitter, const std::string &format, ValueRange values) const {
  leaveMessage(emitter, emitter.addMessage(format, /*isFailure=*/false), values);
}

void AmdEmitter::emitAssertFailure(Emitter &emitter, llvm::StringRef message, const gpu::AssertionPlace &place) const {
  std::string text = "device assertion failed";
  if (!message.empty())
    text += ": " + message.str();
  text = numerics::escapeFormat(text + "\n  at " + place.file + ":" + std::to_string(place.line));
  SmallVector<Value> program;
  for (tt::ProgramDim axis : {tt::ProgramDim::X, tt::ProgramDim::Y, tt::ProgramDim::Z})
    program.push_back(emitProgramId(emitter, axis));
  leaveMessage(emitter, emitter.addMessage(text + "\n  in program (%u, %u, %u)", /*isFailure=*/true), program);
  // Ends the warp. Barriers do not wait for warps that have ended.
  emitter.intrinsic("amdgcn.endpgm", {}, {});
}

} // namespace triton::amd

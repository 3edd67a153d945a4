// Accesses through buffer resources, which are a base and a size in scalar registers. An access at an offset beyond the
// size reads zeros or writes nothing, so that masks need no branch. The ISA documents describe them (MUBUF).
#include "backends/amd/lowering/AmdEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// The size of all resources: what is accessed lies that close to the base.
constexpr int64_t resourceBytes = INT32_MAX;
/// An offset beyond it. What an instruction adds to an offset does not lead back.
constexpr int64_t beyondResource = int64_t(1) << 31;

/// The fourth word of a resource: elements are words of 32 bits. From generation 10 on, offsets are compared in bytes.
/// gfx1250 has other flags there, which LLVM leaves 0, beside a longer base and size.
int64_t resourceFlags(const Architecture &architecture) {
  constexpr int64_t wordFormat = 0x27000, checksBytes = 0x31000000;
  if (architecture.isGfx1250())
    return 0;
  return architecture.generation >= 10 ? wordFormat | checksBytes : wordFormat;
}

} // namespace

/// The type of as many bytes that these instructions move: integers of 8, 16 or 32 bits, or vectors of the last.
static Type movedType(Emitter &emitter, unsigned bytes) {
  auto &b = emitter.b;
  return bytes <= 4 ? Type(b.getIntegerType(8 * bytes)) : VectorType::get(bytes / 4, b.getI32Type());
}

static Value castTo(Emitter &emitter, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(emitter.b, type, value).getResult();
}

static bool areZero(ValueRange values) {
  return llvm::all_of(values, [](Value value) {
    return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()) ||
           value.getDefiningOp<LLVM::ZeroOp>();
  });
}

/// The last operands of an access through a buffer resource.
static Registers placeOperands(Emitter &emitter, const Architecture &architecture, const gpu::AccessPlace &place,
                               Value mask) {
  constexpr unsigned resourceSpace = 8;
  auto &b = emitter.b;
  auto resourceType = LLVM::LLVMPointerType::get(emitter.context(), resourceSpace);
  Value stride = emitter.integer(b.getIntegerType(16), 0), none = emitter.i32(0);
  Value resource =
      emitter.intrinsic("amdgcn.make.buffer.rsrc", resourceType,
                        {place.base, stride, emitter.i64(resourceBytes), emitter.i32(resourceFlags(architecture))});
  Value offset = place.offset;
  if (mask)
    offset = emitter.select(mask, offset, emitter.i32(int32_t(beyondResource)));
  if (place.moreBytes != 0)
    offset = emitter.add(offset, emitter.i32(place.moreBytes));
  return {resource, offset, /*what is added to all offsets, unchecked=*/none, /*cache policy=*/none};
}

Value AmdEmitter::emitLoad(Emitter &emitter, const gpu::LoadAccess &access) const {
  if (!access.place.base || access.hints.isVolatile)
    return TargetEmitter::emitLoad(emitter, access);
  Value moved = emitter.intrinsic("amdgcn.raw.ptr.buffer.load", movedType(emitter, access.bytes),
                                  placeOperands(emitter, architecture, access.place, access.mask));
  Value loaded = castTo(emitter, access.type, moved);
  if (!access.mask || areZero(access.fallback))
    return loaded;
  return emitter.select(access.mask, loaded, emitter.packVector(access.fallback));
}

void AmdEmitter::emitStore(Emitter &emitter, const gpu::StoreAccess &access) const {
  if (!access.place.base)
    return TargetEmitter::emitStore(emitter, access);
  Registers operands = placeOperands(emitter, architecture, access.place, access.mask);
  operands.insert(operands.begin(),
                  castTo(emitter, movedType(emitter, access.bytes), emitter.packVector(access.elements)));
  emitter.intrinsic("amdgcn.raw.ptr.buffer.store", {}, operands);
}

/// The name of an instruction for integers of 32 or 64 bits, or f32; empty if there is none on every architecture.
static llvm::StringRef nameAtomic(LLVM::AtomicBinOp operation) {
  switch (operation) {
  case LLVM::AtomicBinOp::xchg:
    return "swap";
  case LLVM::AtomicBinOp::add:
    return "add";
  case LLVM::AtomicBinOp::fadd:
    return "fadd";
  case LLVM::AtomicBinOp::_and:
    return "and";
  case LLVM::AtomicBinOp::_or:
    return "or";
  case LLVM::AtomicBinOp::_xor:
    return "xor";
  case LLVM::AtomicBinOp::max:
    return "smax";
  case LLVM::AtomicBinOp::min:
    return "smin";
  case LLVM::AtomicBinOp::umax:
    return "umax";
  case LLVM::AtomicBinOp::umin:
    return "umin";
  default:
    return {};
  }
}

bool AmdEmitter::hasBufferAtomic(LLVM::AtomicBinOp operation, Type element) const {
  bool isNumber =
      operation == LLVM::AtomicBinOp::fadd ? element.isF32() : element.isInteger(32) || element.isInteger(64);
  return buffers == BufferUse::All && isNumber && !nameAtomic(operation).empty();
}

Value AmdEmitter::emitBufferAtomic(Emitter &emitter, LLVM::AtomicBinOp operation, const gpu::AccessPlace &place,
                                   Value value, Value mask) const {
  Registers operands = placeOperands(emitter, architecture, place, mask);
  operands.insert(operands.begin(), value);
  return emitter.intrinsic(("amdgcn.raw.ptr.buffer.atomic." + nameAtomic(operation)).str(), value.getType(), operands);
}

//===--- Copies to shared memory --------------------------------------------------------------------------------===//

void BufferCopies::emitCopy(Emitter &emitter, Value shared, const gpu::AccessPlace &global, unsigned bytes,
                            Value mask) const {
  Registers operands = placeOperands(emitter, architecture, global, mask);
  Value policy = operands.pop_back_val(), none = emitter.i32(0);
  operands.insert(operands.begin() + 1, {shared, emitter.i32(bytes)});
  operands.append({/*what is added to both addresses=*/none, policy});
  emitter.intrinsic("amdgcn.raw.ptr.buffer.load.lds", {}, operands);
}

/// Copies of several groups are counted in order, so that their instructions must not change places. Nothing else moves
/// across either: LLVM would let some of the copies wait for products.
void BufferCopies::emitCommit(Emitter &emitter) const { emitter.intrinsic("amdgcn.sched.barrier", {}, emitter.i32(0)); }

/// LLVM does not see which copies a read of shared memory needs (SeparateCopies.cpp).
void BufferCopies::emitWait(Emitter &emitter, unsigned copies) const {
  constexpr unsigned most = 63;
  constexpr int64_t noOtherCounter = 0xf70;
  unsigned left = std::min(copies, most);
  emitter.intrinsic("amdgcn.s.waitcnt", {}, emitter.i32(noOtherCounter | (left & 15) | (left >> 4) << 14));
}

Value AmdEmitter::emitUniform(Emitter &emitter, Value value) const {
  return emitter.intrinsic("amdgcn.readfirstlane", value.getType(), value);
}

} // namespace triton::amd

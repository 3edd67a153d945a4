// Functions of the device's run-time library: __assertfail, and vprintf(format, arguments), whose arguments lie in
// memory one after another, each aligned to its size.
#include "numerics/PrintedText.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator::nvptx {

static void print(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *formats = warp.read<uint64_t>(list.inputs[0]), *arguments = warp.read<uint64_t>(list.inputs[1]);
  warp.forActiveLanes([&](unsigned lane) {
    warp.state.printed += numerics::formatPrinted(reinterpret_cast<const char *>(formats[lane]),
                                                  reinterpret_cast<const std::byte *>(arguments[lane]));
  });
  if (!list.outputs.empty())
    warp.forEachLane<uint32_t>(list.outputs[0], [](unsigned) { return 0; });
}

static void assertFail(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  unsigned lane = warp.firstLane();
  auto text = reinterpret_cast<const char *>(warp.read<uint64_t>(list.inputs[0])[lane]);
  warp.report(FindingKind::AssertionFailed, instruction.location, lane, llvm::formatv("`{0}`", text).str());
  warp.retire(warp.active);
}

Handler printHandler() { return &print; }
Handler assertFailHandler() { return &assertFail; }

} // namespace triton::simulator::nvptx

// Asynchronous matrix products: their groups, and the effects of other instructions on the registers of products in
// flight.
#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace triton::simulator {

static const OperandList &operandsOf(const DecodedInstruction &instruction) {
  return *static_cast<const OperandList *>(instruction.detail);
}

static void useRegisters(Warp &warp, const DecodedInstruction &instruction) {
  AsynchronousProducts &products = warp.asynchronousProducts();
  for (RegisterOffset offset : operandsOf(instruction).inputs)
    if (const RegisterHistory::Record *record = products.registers.find(offset))
      if (products.isInFlight(*record))
        return warp.report(FindingKind::ResultInFlight, instruction.location, warp.firstLane(),
                           llvm::formatv("a result of the product of {0}, for which the warp has not waited",
                                         warp.describeLocation(record->location))
                               .str());
}

static void defineRegisters(Warp &warp, const DecodedInstruction &instruction) {
  AsynchronousProducts &products = warp.asynchronousProducts();
  for (RegisterOffset offset : operandsOf(instruction).inputs)
    products.registers.set(offset, {.location = instruction.location, .fences = products.fences});
}

static void passRegisters(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = operandsOf(instruction);
  llvm::SmallVector<std::pair<RegisterOffset, RegisterOffset>> toFrom;
  for (auto [to, from] : llvm::zip_equal(list.outputs, list.inputs))
    toFrom.push_back({to, from});
  warp.asynchronousProducts().registers.copy(toFrom);
}

static void fenceProducts(Warp &warp, const DecodedInstruction &) { ++warp.asynchronousProducts().fences; }

static void commitProducts(Warp &warp, const DecodedInstruction &) {
  ++warp.asynchronousProducts().committed;
  warp.time.closeProducts();
  warp.state.group(warp).commit(warp);
}

static void waitForProducts(Warp &warp, const DecodedInstruction &instruction) {
  AsynchronousProducts &products = warp.asynchronousProducts();
  auto leftPending = uint32_t(instruction.immediate);
  if (products.committed <= leftPending)
    return;
  products.settled = std::max(products.settled, products.committed - leftPending);
  const WarpGroup &group = warp.state.group(warp);
  warp.clock.waitFor(group.agent, products.settled);
  warp.time.waitForProducts(leftPending, instruction.location);
  if (!group.isOver(products.settled - 1))
    warp.waitFor(group, products.settled - 1, instruction.location);
}

static void fenceProxies(Warp &warp, const DecodedInstruction &) { warp.clock.fenceProxies(); }

Handler registerUseHandler() { return &useRegisters; }
Handler registerDefinitionHandler() { return &defineRegisters; }
Handler registerPassHandler() { return &passRegisters; }
Handler productFenceHandler() { return &fenceProducts; }
Handler productCommitHandler() { return &commitProducts; }
Handler productWaitHandler() { return &waitForProducts; }
Handler proxyFenceHandler() { return &fenceProxies; }

} // namespace triton::simulator

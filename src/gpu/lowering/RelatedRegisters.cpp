#include "gpu/lowering/RelatedRegisters.h"

#include "gpu/analysis/EqualElements.h"
#include "gpu/lowering/LayoutEmission.h"

using namespace mlir;

namespace triton::gpu {

unsigned equalRegisterBits(Emitter &emitter, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger())
    return 0;
  analysis::AxisInfo info = emitter.provenAxisInfo().getAxisInfo(value);
  if (info.axes.empty())
    return 0;
  return analysis::registerBitsWithin(
      emitter.layoutOf(type),
      llvm::map_to_vector<4>(info.axes, [](const analysis::AxisFacts &facts) { return facts.constancy; }));
}

SmallVector<RelatedRegister> relateRegisters(Emitter &emitter, Value pointers) {
  SmallVector<RelatedRegister> related;
  for (unsigned index = 0; index < emitter.registers(pointers).size(); ++index)
    related.push_back({index, 0});
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  analysis::AxisInfo info = emitter.provenAxisInfo().getAxisInfo(pointers);
  if (!type || info.axes.empty())
    return related;
  const LinearLayout &layout = emitter.layoutOf(type);
  // A coordinate is the thread's part XOR the register's part. It is their sum if the two have no bit in common.
  SmallVector<int32_t> ofThread;
  for (unsigned dimension = 0; dimension < layout.outputs().size(); ++dimension)
    ofThread.push_back(IndexMap(layout, dimension).threadBits());
  unsigned bits = analysis::selectRegisterBits(layout, [&](const layout::Basis &basis) {
    return llvm::all_of(llvm::enumerate(basis), [&](auto component) {
      auto [dimension, distance] = component;
      return distance < info.axes[dimension].contiguity && (distance & ofThread[dimension]) == 0;
    });
  });
  for (unsigned index = 0; index < related.size(); ++index) {
    auto &[first, bytes] = related[index];
    first = index & ~bits;
    Coordinates here = registerCoordinates(layout, index), there = registerCoordinates(layout, first);
    for (auto [dimension, facts] : llvm::enumerate(info.axes))
      bytes += int64_t(here[dimension] - there[dimension]) * facts.step;
  }
  return related;
}

Registers emitPointers(Emitter &emitter, Value pointers) {
  Registers result(emitter.registers(pointers));
  for (auto [index, related] : llvm::enumerate(relateRegisters(emitter, pointers)))
    if (related.first != index)
      result[index] = emitter.offsetPointer(result[related.first], related.bytes);
  return result;
}

} // namespace triton::gpu

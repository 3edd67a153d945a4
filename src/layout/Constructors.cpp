// Named layouts.
#include "layout/Constructors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>
#include <cassert>

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace triton::layout {

std::string dimensionName(unsigned index) { return "dim" + std::to_string(index); }

/// The outputs dim0, dim1, ... in that order; missing ones have the size 1.
static LinearLayout sortOutputs(LinearLayout layout, unsigned rank) {
  SmallVector<std::string> names;
  for (unsigned dimension = 0; dimension < rank; ++dimension) {
    names.push_back(dimensionName(dimension));
    if (!layout.findOutput(names.back()))
      layout = layout * LinearLayout({}, {Output{names.back(), 1}});
  }
  return layout.orderOutputs(llvm::map_to_vector(names, [](const std::string &name) { return StringRef(name); }));
}

LinearLayout identityND(StringRef input, ArrayRef<int32_t> sizes, ArrayRef<unsigned> order) {
  assert(sizes.size() == order.size() && "an order lists every dimension");
  LinearLayout layout;
  for (unsigned dimension : order)
    layout = layout * LinearLayout::identity(sizes[dimension], input, dimensionName(dimension));
  return sortOutputs(layout, sizes.size());
}

/// Components that are at least the size become 0, so that the bit makes a copy.
static LinearLayout cutToShape(const LinearLayout &layout, ArrayRef<int32_t> shape) {
  SmallVector<Input> inputs(layout.inputs().begin(), layout.inputs().end());
  SmallVector<Output> outputs(layout.outputs().begin(), layout.outputs().end());
  for (auto [output, size] : llvm::zip_equal(outputs, shape))
    output.size = std::min(output.size, size);
  for (Input &input : inputs)
    for (Basis &basis : input.bases)
      for (auto [component, size] : llvm::zip_equal(basis, shape))
        if (component >= size)
          component = 0;
  return LinearLayout(inputs, outputs).removeZeroBases("register");
}

LinearLayout fitToShape(const LinearLayout &layout, ArrayRef<int32_t> shape, ArrayRef<unsigned> order) {
  LinearLayout fitted = cutToShape(sortOutputs(layout, shape.size()), shape);
  for (unsigned dimension : order) {
    std::string name = dimensionName(dimension);
    fitted = fitted * LinearLayout::identity(shape[dimension] / fitted.outputSize(name), "register", name);
  }
  return fitted;
}

LinearLayout blocked(ArrayRef<int32_t> shape, const BlockedParameters &parameters) {
  LinearLayout tile = identityND("register", parameters.sizePerThread, parameters.order) *
                      identityND("lane", parameters.threadsPerWarp, parameters.order) *
                      identityND("warp", parameters.warpsPerBlock, parameters.order);
  return fitToShape(tile, shape, parameters.order);
}

LinearLayout slice(const LinearLayout &parent, unsigned dimension) {
  SmallVector<Input> inputs(parent.inputs().begin(), parent.inputs().end());
  for (Input &input : inputs)
    for (Basis &basis : input.bases)
      basis.erase(basis.begin() + dimension);
  SmallVector<Output> outputs;
  for (auto [index, output] : llvm::enumerate(parent.outputs()))
    if (index != dimension)
      outputs.push_back(Output{dimensionName(outputs.size()), output.size});
  return LinearLayout(inputs, outputs).removeZeroBases("register");
}

LinearLayout swizzledShared(int32_t rows, int32_t columns, int32_t vec, int32_t perPhase, int32_t maxPhase,
                            int32_t fold) {
  Input offset{"offset", {}};
  for (int32_t column = 1; column < columns; column *= 2)
    offset.bases.push_back({0, column});
  for (int32_t row = 1; row < rows; row *= 2) {
    int32_t phase = row / perPhase;
    if (fold != 0)
      phase ^= phase / fold;
    offset.bases.push_back({row, vec * (phase % maxPhase) % columns});
  }
  return LinearLayout({offset}, {Output{dimensionName(0), rows}, Output{dimensionName(1), columns}});
}

} // namespace triton::layout

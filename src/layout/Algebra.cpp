// The algebra of linear layouts: composition, products, division, solving.
#include "layout/Elimination.h"
#include "layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using llvm::SmallVector;
using llvm::StringRef;

namespace triton::layout {

//===----------------------------------------------------------------------===//
// Composition and product
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  SmallVector<Input> inputs(inputList.begin(), inputList.end());
  for (Input &input : inputs) {
    for (Basis &basis : input.bases) {
      Point point;
      for (auto [output, component] : llvm::zip_equal(outputList, basis))
        point.emplace_back(output.name, component);
      basis = Basis(llvm::map_range(outer.apply(point), [](const auto &part) { return part.second; }));
    }
  }
  return LinearLayout(inputs, outer.outputList);
}

/// The names of the left list, then those names of the right list that are new.
template <typename List> static SmallVector<std::string> mergeNames(const List &left, const List &right) {
  SmallVector<std::string> names;
  for (const auto &element : left)
    names.push_back(element.name);
  for (const auto &element : right)
    if (!llvm::is_contained(names, element.name))
      names.push_back(element.name);
  return names;
}

/// The component of `basis`, of `layout`, for the output `name`; 0 when the layout lacks it.
static int32_t getComponent(const LinearLayout &layout, const Basis &basis, StringRef name) {
  const Output *output = layout.findOutput(name);
  return output ? basis[output - layout.outputs().begin()] : 0;
}

LinearLayout operator*(const LinearLayout &left, const LinearLayout &right) {
  SmallVector<Output> outputs;
  for (const std::string &name : mergeNames(left.outputs(), right.outputs()))
    outputs.push_back(Output{name, left.outputSize(name) * right.outputSize(name)});

  SmallVector<Input> inputs;
  for (const std::string &name : mergeNames(left.inputs(), right.inputs())) {
    Input merged{name, {}};
    if (const Input *input = left.findInput(name))
      for (const Basis &basis : input->bases)
        merged.bases.push_back(
            Basis(llvm::map_range(outputs, [&](const Output &o) { return getComponent(left, basis, o.name); })));
    if (const Input *input = right.findInput(name))
      for (const Basis &basis : input->bases)
        merged.bases.push_back(Basis(llvm::map_range(
            outputs, [&](const Output &o) { return getComponent(right, basis, o.name) * left.outputSize(o.name); })));
    inputs.push_back(std::move(merged));
  }
  return LinearLayout(inputs, outputs);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// The outputs of a quotient; none when a size of the divisor does not divide that of the dividend.
static std::optional<SmallVector<Output>> divideOutputs(const LinearLayout &dividend, const LinearLayout &divisor) {
  for (const Output &output : divisor.outputs())
    if (output.size > dividend.outputSize(output.name))
      return std::nullopt;
  for (const Input &input : divisor.inputs())
    if (input.size() > dividend.inputSize(input.name))
      return std::nullopt;
  SmallVector<Output> outputs;
  for (const Output &output : dividend.outputs())
    outputs.push_back(Output{output.name, output.size / divisor.outputSize(output.name)});
  return outputs;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  std::optional<SmallVector<Output>> outputs = divideOutputs(*this, divisor);
  if (!outputs)
    return std::nullopt;
  SmallVector<Input> inputs;
  for (const Input &input : inputList) {
    const Input *low = divisor.findInput(input.name);
    unsigned lowBits = low ? low->bits() : 0;
    Input quotient{input.name, {}};
    for (auto [bit, basis] : llvm::enumerate(input.bases)) {
      Basis shifted;
      for (auto [output, component] : llvm::zip_equal(outputList, basis)) {
        int32_t divisorSize = divisor.outputSize(output.name);
        if (bit < lowBits && component != getComponent(divisor, low->bases[bit], output.name))
          return std::nullopt;
        if (bit >= lowBits && component % divisorSize != 0)
          return std::nullopt;
        shifted.push_back(component / divisorSize);
      }
      if (bit >= lowBits)
        quotient.bases.push_back(std::move(shifted));
    }
    inputs.push_back(std::move(quotient));
  }
  return LinearLayout(inputs, *outputs);
}

std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &divisor) const {
  std::optional<SmallVector<Output>> outputs = divideOutputs(*this, divisor);
  if (!outputs)
    return std::nullopt;
  SmallVector<Input> inputs;
  for (const Input &input : inputList) {
    const Input *high = divisor.findInput(input.name);
    unsigned lowBits = input.bits() - (high ? high->bits() : 0);
    Input quotient{input.name, {}};
    for (auto [bit, basis] : llvm::enumerate(input.bases)) {
      for (auto [output, quotientOutput, component] : llvm::zip_equal(outputList, *outputs, basis)) {
        if (bit < lowBits && component >= quotientOutput.size)
          return std::nullopt;
        if (bit >= lowBits &&
            component != getComponent(divisor, high->bases[bit - lowBits], output.name) * quotientOutput.size)
          return std::nullopt;
      }
      if (bit < lowBits)
        quotient.bases.push_back(basis);
    }
    inputs.push_back(std::move(quotient));
  }
  return LinearLayout(inputs, *outputs);
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

/// `layout` with the outputs of `like`, in the same order: sizes may only grow.
static LinearLayout growOutputs(const LinearLayout &layout, const LinearLayout &like) {
  SmallVector<Input> inputs(layout.inputs().begin(), layout.inputs().end());
  for (Input &input : inputs)
    for (Basis &basis : input.bases)
      basis = Basis(llvm::map_range(
          like.outputs(), [&, old = basis](const Output &output) { return getComponent(layout, old, output.name); }));
  return LinearLayout(inputs, like.outputs());
}

std::optional<LinearLayout> LinearLayout::solve(const LinearLayout &target) const {
  Span span(columns());
  SmallVector<Output> outputs;
  for (const Input &input : inputList)
    outputs.push_back(Output{input.name, input.size()});

  SmallVector<uint64_t> wanted = growOutputs(target, *this).columns();
  SmallVector<Input> inputs(target.inputs().begin(), target.inputs().end());
  auto *column = wanted.begin();
  for (Input &input : inputs) {
    for (Basis &basis : input.bases) {
      std::optional<uint64_t> solution = span.solve(*column++);
      if (!solution)
        return std::nullopt;
      basis.clear();
      for (const Output &output : outputs) {
        basis.push_back(int32_t(*solution & (uint64_t(output.size) - 1)));
        *solution >>= output.bits();
      }
    }
  }
  return LinearLayout(inputs, outputs);
}

std::optional<LinearLayout> LinearLayout::pseudoInverse() const {
  LinearLayout everything;
  for (const Output &output : outputList)
    everything = everything * identity(output.size, output.name, output.name);
  return solve(everything);
}

std::optional<LinearLayout> LinearLayout::inverse() const { return isInvertible() ? pseudoInverse() : std::nullopt; }

} // namespace triton::layout

// Linear layouts: linear maps between bit vectors, over the field of two elements. The value at an index is the XOR of
// the bases of the index's set bits.
//
// A distributed tensor maps (register, lane, warp, block) to coordinates (dim0, dim1, ...); shared memory maps an
// offset to coordinates. The direction is hardware to tensor, since an element may live in several places. Free of
// MLIR.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace triton::layout {

/// The value at one input bit: a coordinate for each output.
using Basis = llvm::SmallVector<int32_t, 4>;

/// A named index: one basis for each of its bits, lowest first.
struct Input {
  std::string name;
  std::vector<Basis> bases;

  unsigned bits() const { return bases.size(); }
  int32_t size() const { return int32_t(1) << bits(); }
  bool operator==(const Input &) const = default;
};

/// A named coordinate, which is less than its size. The size is stored, because a map need not reach every coordinate.
struct Output {
  std::string name;
  int32_t size;

  unsigned bits() const;
  bool operator==(const Output &) const = default;
};

/// A point of the input or output space: a number for each name.
using Point = llvm::SmallVector<std::pair<std::string, int32_t>, 4>;

class LinearLayout {
public:
  /// A layout without inputs and outputs: the neutral element of the product.
  LinearLayout() = default;

  /// Sizes are powers of two, every basis has for each output one component that is less than the output's size, and
  /// names are distinct. Inputs and outputs together have at most 62 bits each.
  LinearLayout(llvm::ArrayRef<Input> inputs, llvm::ArrayRef<Output> outputs);

  /// Maps i to i, for i below `size`.
  static LinearLayout identity(int32_t size, llvm::StringRef input, llvm::StringRef output);
  /// Maps every i below `size` to 0, so that all are copies.
  static LinearLayout zeros(int32_t size, llvm::StringRef input, llvm::StringRef output, int32_t outputSize = 1);

  llvm::ArrayRef<Input> inputs() const { return inputList; }
  llvm::ArrayRef<Output> outputs() const { return outputList; }
  /// Null when no input has the name.
  const Input *findInput(llvm::StringRef name) const;
  const Output *findOutput(llvm::StringRef name) const;
  /// 1 when no input has the name.
  int32_t inputSize(llvm::StringRef name) const;
  int32_t outputSize(llvm::StringRef name) const;
  unsigned inputBits() const;
  unsigned outputBits() const;

  /// The outputs at `point`, in order; names that `point` lacks are 0.
  Point apply(const Point &point) const;

  // Flattening. Inputs and outputs are packed in order, the first lowest.

  /// The flattened outputs of all bases, input by input.
  llvm::SmallVector<uint64_t> columns() const;
  /// The layout with one input, or one output, of this name.
  LinearLayout flattenInputs(llvm::StringRef name) const;
  LinearLayout flattenOutputs(llvm::StringRef name) const;
  /// The flattened inputs (or outputs), divided into the given ones. The numbers of bits must be equal.
  LinearLayout reshapeInputs(llvm::ArrayRef<std::pair<std::string, int32_t>> sizes) const;
  LinearLayout reshapeOutputs(llvm::ArrayRef<Output> outputs) const;

  // Parts.

  /// The inputs (or outputs) in the order of `names`, which lists all of them.
  LinearLayout orderInputs(llvm::ArrayRef<llvm::StringRef> names) const;
  LinearLayout orderOutputs(llvm::ArrayRef<llvm::StringRef> names) const;
  /// Keeps only these inputs, with 0 for the others, and only these outputs.
  LinearLayout sublayout(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Whether these outputs are 0 for all values of these inputs.
  bool sublayoutIsZero(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Removes the bases of `input` that are 0 in every output.
  LinearLayout removeZeroBases(llvm::StringRef input) const;
  /// The layout whose bases `transform` returns. Their components must be less than the outputs' sizes.
  LinearLayout mapBases(llvm::function_ref<Basis(const Input &, unsigned bit)> transform) const;

  // Rank.

  unsigned rank() const;
  bool isSurjective() const { return rank() == outputBits(); }
  bool isInjective() const { return rank() == inputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// For each input, the bits that give nothing that earlier bits do not give as well. An index without free bits
  /// represents all indices that hold the same element.
  Point freeVariables() const;

  // Algebra.

  /// First this layout, then `outer`. The inputs of `outer` include the outputs of this layout; its other inputs are 0.
  LinearLayout compose(const LinearLayout &outer) const;

  /// The direct sum. In a shared input, the bits of the left layout are the low ones. In a shared output, the values of
  /// the right layout are shifted left by the size of the left one. Associative, not commutative.
  friend LinearLayout operator*(const LinearLayout &left, const LinearLayout &right);

  /// Q such that this = divisor * Q, or Q * divisor, up to names without bits; none when there is no such layout.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  std::optional<LinearLayout> divideRight(const LinearLayout &divisor) const;

  /// X such that X.compose(this) = target, where X uses no free variable of this: where to find the elements of
  /// `target`. None when `target` has an element that this layout does not hold. Both have the same outputs; those of
  /// `target` may be smaller.
  std::optional<LinearLayout> solve(const LinearLayout &target) const;
  /// Maps outputs to inputs: the smallest holder of every element. None unless this layout is surjective.
  std::optional<LinearLayout> pseudoInverse() const;
  /// None unless this layout is invertible.
  std::optional<LinearLayout> inverse() const;

  bool operator==(const LinearLayout &) const = default;

  /// One line for each input, with its bases as tuples.
  std::string str() const;
  /// The inputs that hold each element, row by row of the last two outputs: `r0:l1:w0|...`. For small layouts.
  std::string table() const;

private:
  llvm::SmallVector<Input, 4> inputList;
  llvm::SmallVector<Output, 4> outputList;
};

LinearLayout operator*(const LinearLayout &left, const LinearLayout &right);

/// Whether the layout places elements at offsets in shared memory, and not in registers of threads.
inline bool isShared(const LinearLayout &layout) { return layout.findInput("offset") != nullptr; }

} // namespace triton::layout

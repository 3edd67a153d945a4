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

/// A named coordinate, below its size. The size is stored, since a map need not reach every coordinate.
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
  /// No inputs, no outputs: the neutral element of the product.
  LinearLayout() = default;

  /// Sizes are powers of two, every basis has one component below the output's size for each output, names are
  /// distinct. Inputs and outputs together have at most 62 bits each.
  LinearLayout(llvm::ArrayRef<Input> inputs, llvm::ArrayRef<Output> outputs);

  /// i goes to i, for i below `size`.
  static LinearLayout identity(int32_t size, llvm::StringRef input, llvm::StringRef output);
  /// Every i below `size` goes to 0: copies.
  static LinearLayout zeros(int32_t size, llvm::StringRef input, llvm::StringRef output, int32_t outputSize = 1);

  llvm::ArrayRef<Input> inputs() const { return inputList; }
  llvm::ArrayRef<Output> outputs() const { return outputList; }
  /// Null when there is none of the name.
  const Input *findInput(llvm::StringRef name) const;
  const Output *findOutput(llvm::StringRef name) const;
  /// 1 where there is none of the name.
  int32_t inputSize(llvm::StringRef name) const;
  int32_t outputSize(llvm::StringRef name) const;
  unsigned inputBits() const;
  unsigned outputBits() const;

  /// The outputs at `point`, in order; names that it lacks are 0.
  Point apply(const Point &point) const;

  // Flattening. Inputs and outputs are packed in order, the first lowest.

  /// The flattened outputs of all bases, input by input.
  llvm::SmallVector<uint64_t> columns() const;
  /// The layout with one input, or one output, of this name.
  LinearLayout flattenInputs(llvm::StringRef name) const;
  LinearLayout flattenOutputs(llvm::StringRef name) const;
  /// The flattened inputs, or outputs, cut into the given ones; the numbers of bits must agree.
  LinearLayout reshapeInputs(llvm::ArrayRef<std::pair<std::string, int32_t>> sizes) const;
  LinearLayout reshapeOutputs(llvm::ArrayRef<Output> outputs) const;

  // Parts.

  /// Inputs, or outputs, in the order of `names`, which lists all.
  LinearLayout orderInputs(llvm::ArrayRef<llvm::StringRef> names) const;
  LinearLayout orderOutputs(llvm::ArrayRef<llvm::StringRef> names) const;
  /// Only these inputs, the others 0, and only these outputs.
  LinearLayout sublayout(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Whether these inputs leave these outputs 0.
  bool sublayoutIsZero(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Without the bases of `input` that are 0 in every output.
  LinearLayout removeZeroBases(llvm::StringRef input) const;
  /// The layout whose bases `transform` gives; it may return values below the outputs' sizes only.
  LinearLayout mapBases(llvm::function_ref<Basis(const Input &, unsigned bit)> transform) const;
  /// Inputs, or outputs, of no bits are left out: the same map with fewer names.
  LinearLayout dropTrivial() const;

  // Rank.

  unsigned rank() const;
  bool isSurjective() const { return rank() == outputBits(); }
  bool isInjective() const { return rank() == inputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// For each input the bits on which nothing depends that earlier bits do not give as well. An index without free bits
  /// stands for all that hold the same element.
  Point freeVariables() const;

  // Algebra.

  /// First this, then `outer`, whose inputs hold this one's outputs; its other inputs are 0.
  LinearLayout compose(const LinearLayout &outer) const;

  /// The direct sum. In a shared input the left one's bits are the low ones; in a shared output the right one's values
  /// are shifted left by the left one's size. Associative, not commutative.
  friend LinearLayout operator*(const LinearLayout &left, const LinearLayout &right);

  /// Q with this = divisor * Q, or Q * divisor, up to names of no bits; none when there is no such layout.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  std::optional<LinearLayout> divideRight(const LinearLayout &divisor) const;

  /// X with X.compose(this) = target and no free variable of this used: where to find what `target` asks for. None when
  /// it asks for what this does not hold. Both have the same outputs; those of `target` may be smaller.
  std::optional<LinearLayout> solve(const LinearLayout &target) const;
  /// Outputs to inputs: the smallest holder of every element. None unless surjective.
  std::optional<LinearLayout> pseudoInverse() const;
  /// None unless invertible.
  std::optional<LinearLayout> inverse() const;

  bool operator==(const LinearLayout &) const = default;

  /// One line an input: its bases as tuples.
  std::string str() const;
  /// Which inputs hold each element, row by row of the last two outputs: `r0:l1:w0|...`. For small layouts.
  std::string table() const;

private:
  llvm::SmallVector<Input, 4> inputList;
  llvm::SmallVector<Output, 4> outputList;
};

LinearLayout operator*(const LinearLayout &left, const LinearLayout &right);

} // namespace triton::layout

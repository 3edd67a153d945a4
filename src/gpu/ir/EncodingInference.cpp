// How encodings follow from the operations of dialect tt. Named encodings stay named if possible. Everything else
// becomes a linear encoding, which always exists.
#include "ir/EncodingInference.h"
#include "gpu/ir/EncodingText.h"
#include "layout/Constructors.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

LinearLayout reshapeRowMajor(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) {
  // In row-major order the last dimension is the lowest, but flattening packs the first output lowest.
  auto reversedNames = [](std::size_t rank) {
    SmallVector<std::string> names;
    for (std::size_t dimension = rank; dimension-- > 0;)
      names.push_back(layout::dimensionName(dimension));
    return names;
  };
  auto toRefs = [](llvm::ArrayRef<std::string> names) {
    return SmallVector<llvm::StringRef>(names.begin(), names.end());
  };
  SmallVector<std::string> source = reversedNames(layout.outputs().size()), target = reversedNames(shape.size());
  SmallVector<layout::Output> outputs;
  for (auto [name, extent] : llvm::zip_equal(target, llvm::reverse(shape)))
    outputs.push_back({name, int32_t(extent)});
  LinearLayout reshaped = layout.orderOutputs(toRefs(source)).reshapeOutputs(outputs);
  std::reverse(target.begin(), target.end());
  return reshaped.orderOutputs(toRefs(target));
}

namespace {

class GPUEncodingInference : public tt::EncodingInferenceInterface {
public:
  using EncodingInferenceInterface::EncodingInferenceInterface;

  Attribute reduce(llvm::ArrayRef<int64_t>, Attribute encoding, unsigned axis) const override {
    return isPlaceholder(encoding) ? encoding : SliceEncodingAttr::get(encoding.getContext(), axis, encoding);
  }

  Attribute expandDims(llvm::ArrayRef<int64_t> shape, Attribute encoding, unsigned axis) const override {
    if (isPlaceholder(encoding))
      return encoding;
    if (auto slice = dyn_cast<SliceEncodingAttr>(encoding); slice && slice.getDim() == axis)
      return slice.getParent();
    SmallVector<int64_t> expanded(shape);
    expanded.insert(expanded.begin() + axis, 1);
    return reshape(shape, encoding, expanded);
  }

  Attribute transpose(llvm::ArrayRef<int64_t> shape, Attribute encoding, llvm::ArrayRef<int32_t> order) const override {
    if (isPlaceholder(encoding))
      return encoding;
    if (auto blocked = dyn_cast<BlockedEncodingAttr>(encoding))
      return transposeBlocked(blocked, order);
    LinearLayout layout = toLinearLayout(shape, encoding);
    SmallVector<layout::Output> outputs;
    for (auto [dimension, source] : llvm::enumerate(order))
      outputs.push_back({layout::dimensionName(dimension), layout.outputs()[source].size});
    SmallVector<layout::Input> inputs(layout.inputs());
    for (layout::Input &input : inputs)
      for (layout::Basis &basis : input.bases) {
        layout::Basis permuted;
        for (int32_t source : order)
          permuted.push_back(basis[source]);
        basis = permuted;
      }
    return LinearEncodingAttr::get(encoding.getContext(), LinearLayout(inputs, outputs));
  }

  Attribute reshape(llvm::ArrayRef<int64_t> shape, Attribute encoding,
                    llvm::ArrayRef<int64_t> newShape) const override {
    if (isPlaceholder(encoding))
      return encoding;
    return LinearEncodingAttr::get(encoding.getContext(), reshapeRowMajor(toLinearLayout(shape, encoding), newShape));
  }

  Attribute join(llvm::ArrayRef<int64_t> shape, Attribute encoding) const override {
    if (isPlaceholder(encoding))
      return encoding;
    // The new dimension becomes the lowest register bit, so that both halves of a pair are neighbours.
    LinearLayout joined =
        LinearLayout::identity(2, "register", layout::dimensionName(shape.size())) * toLinearLayout(shape, encoding);
    SmallVector<std::string> names;
    for (std::size_t dimension = 0; dimension <= shape.size(); ++dimension)
      names.push_back(layout::dimensionName(dimension));
    return LinearEncodingAttr::get(encoding.getContext(),
                                   joined.orderOutputs(SmallVector<llvm::StringRef>(names.begin(), names.end())));
  }

  Attribute split(llvm::ArrayRef<int64_t> shape, Attribute encoding) const override {
    if (isPlaceholder(encoding))
      return encoding;
    LinearLayout layout = toLinearLayout(shape, encoding);
    auto last = unsigned(shape.size() - 1);
    SmallVector<layout::Input> inputs(layout.inputs());
    // The last dimension must be a single register bit, which is removed.
    unsigned found = 0;
    for (layout::Input &input : inputs)
      for (std::size_t bit = input.bases.size(); bit-- > 0;) {
        if (input.bases[bit][last] == 0)
          continue;
        bool alone = llvm::count_if(input.bases[bit], [](int32_t component) { return component != 0; }) == 1;
        if (input.name != "register" || !alone)
          return {};
        ++found;
        input.bases.erase(input.bases.begin() + std::ptrdiff_t(bit));
      }
    if (found != 1)
      return {};
    for (layout::Input &input : inputs)
      for (layout::Basis &basis : input.bases)
        basis.pop_back();
    SmallVector<layout::Output> outputs(layout.outputs().drop_back());
    return LinearEncodingAttr::get(encoding.getContext(), LinearLayout(inputs, outputs));
  }

  bool areEquivalent(llvm::ArrayRef<int64_t> shape, Attribute left, Attribute right) const override {
    return areLayoutsEquivalent(shape, left, right);
  }

private:
  static Attribute transposeBlocked(BlockedEncodingAttr blocked, llvm::ArrayRef<int32_t> order) {
    auto permute = [&](llvm::ArrayRef<unsigned> sizes) {
      SmallVector<unsigned> permuted;
      for (int32_t source : order)
        permuted.push_back(sizes[source]);
      return permuted;
    };
    SmallVector<unsigned> position(order.size());
    for (auto [dimension, source] : llvm::enumerate(order))
      position[source] = dimension;
    SmallVector<unsigned> newOrder;
    for (unsigned dimension : blocked.getOrder())
      newOrder.push_back(position[dimension]);
    return BlockedEncodingAttr::get(blocked.getContext(), permute(blocked.getSizePerThread()),
                                    permute(blocked.getThreadsPerWarp()), permute(blocked.getWarpsPerCTA()), newOrder,
                                    permuteBlockBases(blocked.getBlockBases(), order));
  }
};

} // namespace

void registerEncodingInference(TritonGPUDialect &dialect) { dialect.addInterfaces<GPUEncodingInference>(); }

} // namespace triton::ttg

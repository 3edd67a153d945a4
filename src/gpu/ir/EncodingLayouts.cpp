// The linear layout of each encoding. NvidiaMmaEncoding.cpp has that of NVIDIA's matrix units.
#include "gpu/ir/Dialect.h"
#include "layout/Constructors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

static SmallVector<int32_t> toInt32(llvm::ArrayRef<int64_t> shape) {
  return SmallVector<int32_t>(shape.begin(), shape.end());
}

/// A layout without multiple blocks: one that has the inputs register, lane, warp, block in that order.
static LinearLayout withAllInputs(LinearLayout layout) {
  for (llvm::StringRef name : {"register", "lane", "warp", "block"})
    if (!layout.findInput(name)) {
      SmallVector<layout::Input> inputs(layout.inputs());
      inputs.push_back({name.str(), {}});
      layout = LinearLayout(inputs, layout.outputs());
    }
  return layout.orderInputs({"register", "lane", "warp", "block"});
}

static LinearLayout blockedLayout(llvm::ArrayRef<int32_t> shape, BlockedEncodingAttr encoding) {
  auto toList = [](llvm::ArrayRef<unsigned> sizes) { return SmallVector<int32_t>(sizes.begin(), sizes.end()); };
  return layout::blocked(shape, {toList(encoding.getSizePerThread()), toList(encoding.getThreadsPerWarp()),
                                 toList(encoding.getWarpsPerCTA()), SmallVector<unsigned>(encoding.getOrder())});
}

static LinearLayout sliceLayout(llvm::ArrayRef<int64_t> shape, SliceEncodingAttr encoding) {
  SmallVector<int64_t> parentShape(shape);
  parentShape.insert(parentShape.begin() + encoding.getDim(), 1);
  return layout::slice(toLinearLayout(parentShape, encoding.getParent()), encoding.getDim());
}

/// Dimensions of the matrices of a tensor, and the batch dimensions before them.
static SmallVector<unsigned> descendingOrder(unsigned rank) {
  return llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank)));
}

/// Products on ordinary units: every thread holds all of K for the rows, or columns, of its results.
static LinearLayout ordinaryOperandLayout(llvm::ArrayRef<int32_t> shape, DotOperandEncodingAttr encoding,
                                          BlockedEncodingAttr parent) {
  unsigned rank = shape.size();
  unsigned inner = encoding.getOpIdx() == 0 ? rank - 1 : rank - 2;
  LinearLayout tile = LinearLayout::identity(shape[inner], "register", layout::dimensionName(inner));
  auto append = [&](llvm::StringRef input, llvm::ArrayRef<unsigned> sizes) {
    for (unsigned dimension : parent.getOrder()) {
      std::string name = layout::dimensionName(dimension);
      auto size = int32_t(sizes[dimension]);
      if (dimension != inner)
        tile = tile * LinearLayout::identity(size, input, name);
      else if (input != "register")
        tile = tile * LinearLayout::zeros(size, input, name);
    }
  };
  append("register", parent.getSizePerThread());
  append("lane", parent.getThreadsPerWarp());
  append("warp", parent.getWarpsPerCTA());
  return layout::fitToShape(tile, shape, parent.getOrder());
}

static LinearLayout sharedLayout(llvm::ArrayRef<int32_t> shape, SwizzledSharedEncodingAttr encoding) {
  llvm::ArrayRef<unsigned> order = encoding.getOrder();
  unsigned rank = shape.size();
  if (order.size() == 1)
    return layout::identityND("offset", shape, descendingOrder(rank));
  // The swizzle concerns the two fastest dimensions; a buffer may have leading dimensions that the order does not list.
  unsigned fast = order[0], next = order[1];
  unsigned added = rank - order.size();
  fast += added;
  next += added;
  LinearLayout swizzled = layout::swizzledShared(shape[next], shape[fast], int32_t(encoding.getVec()),
                                                 int32_t(encoding.getPerPhase()), int32_t(encoding.getMaxPhase()));
  SmallVector<layout::Output> outputs{{layout::dimensionName(next), shape[next]},
                                      {layout::dimensionName(fast), shape[fast]}};
  LinearLayout result(swizzled.inputs(), outputs);
  SmallVector<unsigned> rest;
  for (unsigned dimension : order.drop_front(2))
    rest.push_back(dimension + added);
  for (unsigned dimension = added; dimension-- > 0;)
    rest.push_back(dimension);
  for (unsigned dimension : rest)
    result = result * LinearLayout::identity(shape[dimension], "offset", layout::dimensionName(dimension));
  SmallVector<std::string> names;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    names.push_back(layout::dimensionName(dimension));
  return result.orderOutputs(SmallVector<llvm::StringRef>(names.begin(), names.end()));
}

LinearLayout toLinearLayout(llvm::ArrayRef<int64_t> shape, Attribute encoding) {
  SmallVector<int32_t> extents = toInt32(shape);
  return llvm::TypeSwitch<Attribute, LinearLayout>(encoding)
      .Case([&](BlockedEncodingAttr blocked) { return withAllInputs(blockedLayout(extents, blocked)); })
      .Case([&](SliceEncodingAttr slice) { return withAllInputs(sliceLayout(shape, slice)); })
      .Case([&](MatrixEncodingInterface matrix) { return withAllInputs(matrix.getAccumulatorLayout(extents)); })
      .Case([&](DotOperandEncodingAttr operand) {
        if (auto matrix = dyn_cast<MatrixEncodingInterface>(operand.getParent()))
          return withAllInputs(matrix.getOperandLayout(extents, operand.getOpIdx(), operand.getKWidth()));
        return withAllInputs(ordinaryOperandLayout(extents, operand, cast<BlockedEncodingAttr>(operand.getParent())));
      })
      .Case([&](LinearEncodingAttr linear) {
        // The encoding's own shape is the natural one; other shapes repeat or cut it.
        return withAllInputs(layout::fitToShape(linear.getLayout(), extents, descendingOrder(extents.size())));
      })
      .Case([&](SwizzledSharedEncodingAttr shared) { return sharedLayout(extents, shared); });
}

LinearLayout toLinearLayout(RankedTensorType type) { return toLinearLayout(type.getShape(), type.getEncoding()); }

LinearLayout toLinearLayout(MemDescType type) { return toLinearLayout(type.getShape(), type.getEncoding()); }

unsigned getElementsPerThread(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() ? unsigned(toLinearLayout(tensor).inputSize("register")) : 1;
}

SmallVector<unsigned> getOrder(RankedTensorType type) {
  LinearLayout layout = toLinearLayout(type);
  SmallVector<unsigned> order;
  for (llvm::StringRef input : {"register", "lane", "warp"})
    for (const layout::Basis &basis : layout.findInput(input)->bases)
      for (auto [dimension, component] : llvm::enumerate(basis))
        if (component != 0 && !llvm::is_contained(order, dimension))
          order.push_back(dimension);
  for (unsigned dimension : descendingOrder(type.getRank()))
    if (!llvm::is_contained(order, dimension))
      order.push_back(dimension);
  return order;
}

bool areLayoutsEquivalent(llvm::ArrayRef<int64_t> shape, Attribute left, Attribute right) {
  return left == right || toLinearLayout(shape, left) == toLinearLayout(shape, right);
}

static SmallVector<int32_t> flattenBases(const LinearLayout &layout, llvm::StringRef name) {
  SmallVector<int32_t> flat;
  if (const layout::Input *input = layout.findInput(name))
    for (const layout::Basis &basis : input->bases)
      flat.append(basis.begin(), basis.end());
  return flat;
}

LinearEncodingAttr LinearEncodingAttr::get(MLIRContext *context, const LinearLayout &layout) {
  SmallVector<int32_t> shape;
  for (const layout::Output &output : layout.outputs())
    shape.push_back(output.size);
  return get(context, shape, flattenBases(layout, "register"), flattenBases(layout, "lane"),
             flattenBases(layout, "warp"), flattenBases(layout, "block"));
}

LinearLayout LinearEncodingAttr::getLayout() const {
  std::size_t rank = getShape().size();
  auto makeInput = [&](llvm::StringRef name, llvm::ArrayRef<int32_t> flat) {
    layout::Input input{name.str(), {}};
    for (std::size_t i = 0; i < flat.size(); i += rank)
      input.bases.push_back(layout::Basis(flat.slice(i, rank)));
    return input;
  };
  SmallVector<layout::Output> outputs;
  for (auto [dimension, extent] : llvm::enumerate(getShape()))
    outputs.push_back({layout::dimensionName(dimension), extent});
  return LinearLayout({makeInput("register", getRegisterBases()), makeInput("lane", getLaneBases()),
                       makeInput("warp", getWarpBases()), makeInput("block", getBlockBases())},
                      outputs);
}

} // namespace triton::ttg

// The linear layout of each encoding. NvidiaMmaEncoding.cpp and AmdMatrixEncodings.cpp contain those of matrix units,
// and SharedEncodings.cpp those of buffers.
#include "gpu/ir/Dialect.h"
#include "layout/Constructors.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <mutex>

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

static SmallVector<int32_t> toInt32(llvm::ArrayRef<int64_t> shape) {
  return SmallVector<int32_t>(shape.begin(), shape.end());
}

/// Adds missing inputs, so that the layout has the inputs register, lane, warp, block in that order.
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

/// The dimensions of the matrices of a tensor, preceded by the batch dimensions.
static SmallVector<unsigned> descendingOrder(unsigned rank) {
  return llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank)));
}

/// Operands of products on ordinary units: every thread holds all of K for the rows or columns of its results.
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

//===----------------------------------------------------------------------===//
// Blocks of a cluster
//===----------------------------------------------------------------------===//

/// A tensor of which each block of a cluster holds a part.
class BlockParts {
public:
  /// `bases` may be for fewer dimensions than `shape` has; they are then for its last dimensions.
  BlockParts(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<int32_t> bases, std::size_t rank) : part(shape) {
    block.name = "block";
    std::size_t added = shape.size() - rank;
    SmallVector<int32_t> counts(shape.size(), 1);
    for (std::size_t i = 0; i < bases.size(); i += rank) {
      layout::Basis basis(shape.size());
      for (std::size_t dimension = added; dimension < shape.size(); ++dimension)
        if (int32_t component = bases[i + dimension - added]; component < shape[dimension]) { // otherwise it is a copy
          basis[dimension] = component;
          counts[dimension] = std::max(counts[dimension], component * 2);
        }
      block.bases.push_back(basis);
    }
    for (auto [dimension, count] : llvm::enumerate(counts)) {
      part[dimension] /= count;
      outputs.push_back({layout::dimensionName(dimension), count});
    }
  }

  llvm::ArrayRef<int32_t> shape() const { return part; }
  /// The layout of the whole tensor, made from that of a part.
  LinearLayout ofAll(const LinearLayout &ofPart) const {
    return block.bases.empty() ? ofPart : ofPart * LinearLayout({block}, outputs);
  }

private:
  SmallVector<int32_t> part;
  layout::Input block;
  SmallVector<layout::Output> outputs;
};

static llvm::ArrayRef<int32_t> getBlockBases(Attribute encoding) {
  return llvm::TypeSwitch<Attribute, llvm::ArrayRef<int32_t>>(encoding)
      .Case<BlockedEncodingAttr, MatrixEncodingInterface, SharedEncodingInterface>(
          [](auto encoding) { return encoding.getBlockBases(); });
}

/// Blocks that share results along the other operand's outer dimension hold the same part of this operand.
static LinearLayout operandLayout(llvm::ArrayRef<int32_t> shape, DotOperandEncodingAttr encoding) {
  std::size_t rank = shape.size(), inner = encoding.getOpIdx() == 0 ? rank - 1 : rank - 2;
  SmallVector<int32_t> blockBases(getBlockBases(encoding.getParent()));
  for (std::size_t i = inner; i < blockBases.size(); i += rank)
    blockBases[i] = 0;
  BlockParts blocks(shape, blockBases, rank);
  if (auto matrix = dyn_cast<MatrixEncodingInterface>(encoding.getParent()))
    return blocks.ofAll(matrix.getOperandLayout(blocks.shape(), encoding.getOpIdx(), encoding.getKWidth()));
  return blocks.ofAll(ordinaryOperandLayout(blocks.shape(), encoding, cast<BlockedEncodingAttr>(encoding.getParent())));
}

static LinearLayout computeLinearLayout(llvm::ArrayRef<int64_t> shape, Attribute encoding) {
  SmallVector<int32_t> extents = toInt32(shape);
  return llvm::TypeSwitch<Attribute, LinearLayout>(encoding)
      .Case([&](BlockedEncodingAttr blocked) {
        BlockParts blocks(extents, blocked.getBlockBases(), extents.size());
        return withAllInputs(blocks.ofAll(blockedLayout(blocks.shape(), blocked)));
      })
      .Case([&](SliceEncodingAttr slice) { return withAllInputs(sliceLayout(shape, slice)); })
      .Case([&](MatrixEncodingInterface matrix) {
        BlockParts blocks(extents, matrix.getBlockBases(), extents.size());
        return withAllInputs(blocks.ofAll(matrix.getAccumulatorLayout(blocks.shape())));
      })
      .Case([&](DotOperandEncodingAttr operand) { return withAllInputs(operandLayout(extents, operand)); })
      .Case([&](LinearEncodingAttr linear) {
        // The encoding has a natural shape, which other shapes repeat or cut.
        return withAllInputs(layout::fitToShape(linear.getLayout(), extents, descendingOrder(extents.size())));
      })
      .Case([&](SharedEncodingInterface shared) {
        BlockParts blocks(extents, shared.getBlockBases(), shared.getRank());
        return blocks.ofAll(shared.getOffsetLayout(blocks.shape()));
      });
}

namespace {

/// The linear layouts of a context's encodings. A kernel has few, for which passes ask thousands of times.
class KnownLayouts : public DialectInterface::Base<KnownLayouts> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnownLayouts)

  explicit KnownLayouts(Dialect *dialect) : Base(dialect) {}

  LinearLayout find(llvm::ArrayRef<int64_t> shape, Attribute encoding) const {
    {
      std::lock_guard lock(mutex);
      for (const auto &[known, layout] : layouts[encoding])
        if (llvm::ArrayRef(known) == shape)
          return layout;
    }
    LinearLayout layout = computeLinearLayout(shape, encoding); // may ask for others
    std::lock_guard lock(mutex);
    layouts[encoding].emplace_back(shape, layout);
    return layout;
  }

private:
  mutable std::mutex mutex; ///< passes may run on several threads
  mutable llvm::DenseMap<Attribute, std::vector<std::pair<SmallVector<int64_t, 4>, LinearLayout>>> layouts;
};

} // namespace

void registerKnownLayouts(TritonGPUDialect &dialect) { dialect.addInterfaces<KnownLayouts>(); }

LinearLayout toLinearLayout(llvm::ArrayRef<int64_t> shape, Attribute encoding) {
  return encoding.getDialect().getRegisteredInterface<KnownLayouts>()->find(shape, encoding);
}

LinearLayout toLinearLayout(RankedTensorType type) { return toLinearLayout(type.getShape(), type.getEncoding()); }

LinearLayout toLinearLayout(MemDescType type) { return toLinearLayout(type.getShape(), type.getEncoding()); }

LinearLayout getElementOffsets(MemDescType type) {
  LinearLayout whole = *toLinearLayout(type.getAllocShape(), type.getEncoding()).inverse();
  SmallVector<layout::Input> inputs(whole.inputs());
  for (auto [input, extent] : llvm::zip_equal(inputs, type.getShape()))
    input.bases.resize(llvm::Log2_64(uint64_t(extent)));
  return LinearLayout(inputs, whole.outputs());
}

unsigned getElementsPerThread(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() ? unsigned(toLinearLayout(tensor).inputSize("register")) : 1;
}

SmallVector<unsigned> getOrder(RankedTensorType type) {
  LinearLayout layout = toLinearLayout(type);
  SmallVector<unsigned> order;
  auto append = [&](llvm::ArrayRef<llvm::StringRef> inputs, llvm::function_ref<bool(int32_t)> isWanted) {
    for (llvm::StringRef input : inputs)
      for (const layout::Basis &basis : layout.findInput(input)->bases)
        for (auto [dimension, component] : llvm::enumerate(basis))
          if (isWanted(component) && !llvm::is_contained(order, dimension))
            order.push_back(dimension);
  };
  auto isNeighbor = [](int32_t component) { return component == 1; };
  auto isAny = [](int32_t component) { return component != 0; };
  // Registers that are apart say nothing of what lies beside what.
  append({"register", "lane", "warp"}, isNeighbor);
  order.truncate(std::min<std::size_t>(order.size(), 1));
  // Registers that repeat a layout have neighbours of the slowest dimensions, such as the matrices of a batch.
  append({"lane", "warp"}, isAny);
  append({"register"}, isAny);
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

// The encodings of buffers in shared memory: text, invariants, and the places of the elements.
#include "gpu/ir/EncodingText.h"
#include "layout/Constructors.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

#define TRITON_SHARED_ENCODING(Encoding)                                                                               \
  LogicalResult Encoding::verifyEncoding(llvm::ArrayRef<int64_t>, Type, function_ref<InFlightDiagnostic()> emitError)  \
      const {                                                                                                          \
    return emitError() << "a shared encoding belongs to buffers (!ttg.memdesc), not to tensors";                       \
  }
TRITON_SHARED_ENCODING(SwizzledSharedEncodingAttr)
TRITON_SHARED_ENCODING(NvmmaSharedEncodingAttr)
TRITON_SHARED_ENCODING(SharedLinearEncodingAttr)
TRITON_SHARED_ENCODING(PaddedSharedEncodingAttr)
#undef TRITON_SHARED_ENCODING

static LinearLayout inOrder(const LinearLayout &layout, unsigned rank) {
  SmallVector<std::string> names;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    names.push_back(layout::dimensionName(dimension));
  return layout.orderOutputs(SmallVector<llvm::StringRef>(names.begin(), names.end()));
}

//===----------------------------------------------------------------------===//
// swizzled_shared
//===----------------------------------------------------------------------===//

Attribute SwizzledSharedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned vec = fields.integer("vec"), perPhase = fields.integer("perPhase"), maxPhase = fields.integer("maxPhase");
  unsigned fold = fields.has("fold") ? fields.integer("fold") : 0;
  auto order = fields.integers("order");
  auto blockBases = fields.blockBases(order.size());
  if (!fields)
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), vec, perPhase, maxPhase,
                    llvm::ArrayRef<unsigned>(order), llvm::ArrayRef<int32_t>(blockBases), fold);
}

Attribute parseRotatingShared(AsmParser &parser) {
  FieldReader fields(parser);
  unsigned vec = fields.integer("vec"), perPhase = fields.integer("perPhase"), maxPhase = fields.integer("maxPhase");
  auto order = fields.integers("order");
  auto blockBases = fields.blockBases(order.size());
  if (!fields)
    return {};
  // The pattern of the next `maxPhase` phases is that of the first, exchanged by their number.
  unsigned fold = maxPhase > 1 ? maxPhase : 0;
  return SwizzledSharedEncodingAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), vec, perPhase, maxPhase,
      llvm::ArrayRef<unsigned>(order), llvm::ArrayRef<int32_t>(blockBases), fold);
}

void SwizzledSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{vec = " << getVec() << ", perPhase = " << getPerPhase() << ", maxPhase = " << getMaxPhase() << ", ";
  if (getFold() != 0)
    printer << "fold = " << getFold() << ", ";
  printList(printer, "order", getOrder());
  printBlockBases(printer, getBlockBases(), getRank());
  printer << "}>";
}

LogicalResult SwizzledSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned vec,
                                                 unsigned perPhase, unsigned maxPhase, llvm::ArrayRef<unsigned> order,
                                                 llvm::ArrayRef<int32_t> blockBases, unsigned fold) {
  constexpr unsigned most = 1 << 20; // elements of a tensor
  for (unsigned size : {vec, perPhase, maxPhase})
    if (!llvm::isPowerOf2_32(size) || size > most)
      return emitError() << "vec, perPhase and maxPhase must be powers of two";
  if (fold > most)
    return emitError() << "fold must be at most " << most;
  if (fold == 1 || (fold & (fold - 1)) != 0)
    return emitError() << "fold must be 0 or a power of two above 1";
  if (order.empty() || !isPermutation(order))
    return emitError() << "order must be a permutation of the dimensions";
  return verifyBlockBases(emitError, blockBases, order.size());
}

unsigned SwizzledSharedEncodingAttr::getRank() const { return getOrder().size(); }

LinearLayout SwizzledSharedEncodingAttr::getOffsetLayout(llvm::ArrayRef<int32_t> shape) const {
  llvm::ArrayRef<unsigned> order = getOrder();
  unsigned rank = shape.size();
  if (order.size() == 1)
    return layout::identityND("offset", shape, llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank))));
  // The swizzle affects the two fastest dimensions. A buffer may have leading dimensions that the order does not list.
  unsigned fast = order[0], next = order[1];
  unsigned added = rank - order.size();
  fast += added;
  next += added;
  LinearLayout swizzled = layout::swizzledShared(shape[next], shape[fast], int32_t(getVec()), int32_t(getPerPhase()),
                                                 int32_t(getMaxPhase()), int32_t(getFold()));
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
  return inOrder(result, rank);
}

/// Swizzles apply to addresses, so rows must start where the pattern starts.
std::size_t SwizzledSharedEncodingAttr::getAlignment(std::size_t bytes) const { return bytes >= 1024 ? 1024 : 128; }

Attribute SwizzledSharedEncodingAttr::getPermuted(llvm::ArrayRef<int32_t> order) const {
  if (order.size() != getRank())
    return {};
  SmallVector<unsigned> position(order.size()), transposed;
  for (auto [dimension, source] : llvm::enumerate(order))
    position[source] = unsigned(dimension);
  for (unsigned dimension : getOrder())
    transposed.push_back(position[dimension]);
  return get(getContext(), getVec(), getPerPhase(), getMaxPhase(), transposed,
             permuteBlockBases(getBlockBases(), order), getFold());
}

LogicalResult SwizzledSharedEncodingAttr::verifyBuffer(function_ref<InFlightDiagnostic()>, llvm::ArrayRef<int64_t>,
                                                       Type) const {
  return success();
}

//===----------------------------------------------------------------------===//
// nvmma_shared
//===----------------------------------------------------------------------===//

Attribute NvmmaSharedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned width = fields.integer("swizzlingByteWidth");
  bool transposed = fields.boolean("transposed");
  unsigned bits = fields.integer("elementBitWidth");
  unsigned rank = fields.has("rank") ? fields.integer("rank") : 2;
  bool fp4Padded = fields.has("fp4Padded") && fields.boolean("fp4Padded");
  auto blockBases = fields.blockBases(rank);
  if (!fields)
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), width, transposed, bits,
                    rank, llvm::ArrayRef<int32_t>(blockBases), fp4Padded);
}

void NvmmaSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{swizzlingByteWidth = " << getSwizzlingByteWidth()
          << ", transposed = " << (getTransposed() ? "true" : "false")
          << ", elementBitWidth = " << getElementBitWidth();
  if (getFp4Padded())
    printer << ", fp4Padded = true";
  if (getRank() != 2)
    printer << ", rank = " << getRank();
  printBlockBases(printer, getBlockBases(), getRank());
  printer << "}>";
}

LogicalResult NvmmaSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned width,
                                              bool transposed, unsigned elementBitWidth, unsigned rank,
                                              llvm::ArrayRef<int32_t> blockBases, bool fp4Padded) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, width))
    return emitError() << "swizzlingByteWidth is " << width << ", it must be 0, 32, 64 or 128";
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, elementBitWidth))
    return emitError() << "elementBitWidth is " << elementBitWidth << ", it must be 8, 16, 32 or 64";
  if (fp4Padded && (width != 128 || elementBitWidth != 8))
    return emitError() << "fp4Padded needs swizzlingByteWidth 128 and elementBitWidth 8, not " << width << " and "
                       << elementBitWidth;
  if (rank < 1 || (rank == 1 && (width != 0 || transposed)))
    return emitError() << "rank is " << rank
                       << ", it must be at least 2, or 1 where elements are neither swizzled nor transposed";
  return verifyBlockBases(emitError, blockBases, rank);
}

/// Whether elements lie row by row: matrix units, which read pieces of rows, read matrices alone.
static bool isPlain(NvmmaSharedEncodingAttr encoding) {
  return encoding.getSwizzlingByteWidth() == 0 && encoding.getRank() != 2;
}

constexpr int64_t mostElementsOfBox = 256; ///< in each dimension

/// The elements of a row of so many that lie side by side.
static int64_t pieceOf(NvmmaSharedEncodingAttr encoding, int64_t columns) {
  return isPlain(encoding) && columns <= mostElementsOfBox ? columns : int64_t(encoding.getPieceElements());
}

/// The sources are the PTX ISA's shared memory layouts of asynchronous warpgroup products and of tensor copies.
LinearLayout NvmmaSharedEncodingAttr::getOffsetLayout(llvm::ArrayRef<int32_t> shape) const {
  unsigned rank = shape.size(), added = rank - getRank();
  unsigned contiguous = rank - (getTransposed() ? 2 : 1), rows = rank - (getTransposed() ? 1 : 2);
  auto piece = int32_t(pieceOf(*this, shape[contiguous])), width = int32_t(getSwizzlingByteWidth());
  int32_t chunk = (getFp4Padded() ? 64 : 128) / int32_t(getElementBitWidth());
  int32_t perPhase = width == 0 ? 1 : 128 / width, phases = width == 0 ? 1 : width / 16;
  SmallVector<std::pair<unsigned, int32_t>> rowBits; // each with its dimension and its coordinate there
  for (int32_t row = 1; getRank() > 1 && row < shape[rows]; row *= 2)
    rowBits.push_back({rows, row});
  for (unsigned dimension = std::max(rank, 2u) - 2; dimension-- > added;)
    for (int32_t row = 1; row < shape[dimension]; row *= 2)
      rowBits.push_back({dimension, row});
  layout::Input offset{"offset", {}};
  auto append = [&](unsigned dimension, int32_t coordinate, int32_t column) {
    layout::Basis basis(rank);
    basis[dimension] = coordinate;
    basis[contiguous] ^= column;
    offset.bases.push_back(basis);
  };
  for (int32_t column = 1; column < piece; column *= 2)
    append(contiguous, column, 0);
  for (auto [index, bit] : llvm::enumerate(rowBits)) {
    int32_t row = index < 3 ? 1 << index : 0; // every group of 8 rows repeats the first group
    append(bit.first, bit.second, chunk * (row / perPhase % phases));
  }
  for (int32_t column = piece; column < shape[contiguous]; column *= 2)
    append(contiguous, column, 0);
  for (unsigned dimension = added; dimension-- > 0;)
    for (int32_t index = 1; index < shape[dimension]; index *= 2)
      append(dimension, index, 0);
  SmallVector<layout::Output> outputs;
  for (auto [dimension, extent] : llvm::enumerate(shape))
    outputs.push_back({layout::dimensionName(dimension), extent});
  return LinearLayout({offset}, outputs);
}

llvm::ArrayRef<int32_t> NvmmaSharedEncodingAttr::getPaddings() const {
  static constexpr int32_t unusedBytes[] = {8, 8};
  return getFp4Padded() ? llvm::ArrayRef(unusedBytes) : llvm::ArrayRef<int32_t>();
}

SmallVector<int64_t> NvmmaSharedEncodingAttr::getBox(llvm::ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> box(shape);
  bool isCut = false; // The rows of a box lie one after the other.
  for (int64_t &extent : llvm::reverse(box.size() > 1 ? llvm::MutableArrayRef(box).drop_back() : box)) {
    int64_t whole = extent;
    extent = isCut ? 1 : std::min(extent, mostElementsOfBox);
    isCut |= extent < whole;
  }
  if (box.size() > 1)
    box.back() = pieceOf(*this, box.back());
  return box;
}

std::size_t NvmmaSharedEncodingAttr::getAlignment(std::size_t) const {
  return std::max<std::size_t>(128, std::size_t(8) * getSwizzlingByteWidth());
}

Attribute NvmmaSharedEncodingAttr::getPermuted(llvm::ArrayRef<int32_t> order) const {
  // Only the last two dimensions can be exchanged, because the order of the others is fixed.
  auto identity = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(getRank())));
  if (order == llvm::ArrayRef(identity))
    return *this;
  std::swap(identity[getRank() - 1], identity[getRank() - 2]);
  if (order != llvm::ArrayRef(identity))
    return {};
  return get(getContext(), getSwizzlingByteWidth(), !getTransposed(), getElementBitWidth(), getRank(),
             permuteBlockBases(getBlockBases(), order), getFp4Padded());
}

LogicalResult NvmmaSharedEncodingAttr::verifyBuffer(function_ref<InFlightDiagnostic()> emitError,
                                                    llvm::ArrayRef<int64_t> shape, Type elementType) const {
  unsigned bits = elementType.isIntOrFloat() ? std::max(8u, elementType.getIntOrFloatBitWidth()) : 64;
  if (bits != getElementBitWidth())
    return emitError() << "the encoding is for elements of " << getElementBitWidth() << " bits, " << elementType
                       << " has " << bits;
  std::size_t contiguous = shape.size() - (getTransposed() ? 2 : 1);
  int64_t columns = 0, rows = 1;
  for (std::size_t dimension = shape.size() - getRank(); dimension < shape.size(); ++dimension) {
    int64_t extent = shape[dimension];
    int32_t parts = 1;
    for (std::size_t i = dimension - (shape.size() - getRank()); i < getBlockBases().size(); i += getRank())
      parts = std::max(parts, getBlockBases()[i] * 2);
    extent = std::max<int64_t>(1, extent / parts);
    dimension == contiguous ? void(columns = extent) : void(rows *= extent);
  }
  int64_t fewestRows = isPlain(*this) ? 1 : 8;
  if (columns < getPieceElements() || rows < fewestRows)
    return emitError() << "a block has " << rows << " rows of " << columns << " elements; the encoding needs at least "
                       << fewestRows << " rows of " << getPieceElements();
  return success();
}

} // namespace triton::ttg

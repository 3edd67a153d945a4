// The encodings of buffers that list the bases of their elements' places, with paddings and without, and what becomes
// of encodings where a buffer gets another shape.
#include "gpu/ir/BufferViews.h"
#include "gpu/ir/EncodingText.h"
#include "layout/Constructors.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

constexpr unsigned leastAlignment = 16; ///< in bytes, of every buffer

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

/// The shape of the part of one block.
static SmallVector<int32_t> shapeOf(llvm::ArrayRef<int32_t> offsetBases, std::size_t rank) {
  SmallVector<int32_t> shape(rank, 1);
  for (auto [i, component] : llvm::enumerate(offsetBases))
    shape[i % rank] = std::max(shape[i % rank], int32_t(llvm::bit_floor(uint32_t(component)) * 2));
  return shape;
}

/// Offsets of the part of one block, and of as many more such parts as leading dimensions of `shape` count.
static LinearLayout offsetsOf(llvm::ArrayRef<int32_t> offsetBases, std::size_t rank, llvm::ArrayRef<int32_t> shape) {
  std::size_t added = shape.size() - rank;
  layout::Input offset{"offset", {}};
  for (std::size_t i = 0; i < offsetBases.size(); i += rank) {
    layout::Basis basis(added);
    llvm::append_range(basis, offsetBases.slice(i, rank));
    offset.bases.push_back(basis);
  }
  for (std::size_t dimension = added; dimension-- > 0;)
    for (int32_t index = 1; index < shape[dimension]; index *= 2) {
      layout::Basis basis(shape.size());
      basis[dimension] = index;
      offset.bases.push_back(basis);
    }
  SmallVector<layout::Output> outputs;
  for (auto [dimension, extent] : llvm::enumerate(shape))
    outputs.push_back({layout::dimensionName(dimension), extent});
  return LinearLayout({offset}, outputs);
}

static LogicalResult verifyBases(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int32_t> offsetBases,
                                 llvm::ArrayRef<int32_t> blockBases, std::size_t rank) {
  constexpr std::size_t mostBits = 30;
  if (rank == 0 || offsetBases.size() % rank != 0 || offsetBases.size() / rank > mostBits)
    return emitError() << "each basis of offset must have one integer for each dimension, and there must be at most "
                       << mostBits;
  if (llvm::any_of(offsetBases, [](int32_t component) { return component < 0 || component >= 1 << mostBits; }))
    return emitError() << "the integers in the bases of offset must not be negative, and below " << (1 << mostBits);
  SmallVector<int32_t> shape = shapeOf(offsetBases, rank);
  unsigned bits = 0;
  for (int32_t extent : shape)
    bits += llvm::Log2_32(uint32_t(extent));
  if (bits != offsetBases.size() / rank || !offsetsOf(offsetBases, rank, shape).isInvertible())
    return emitError() << "the bases of offset must reach each element once";
  return verifyBlockBases(emitError, blockBases, rank);
}

static LogicalResult verifyShape(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<int32_t> offsetBases, llvm::ArrayRef<int32_t> blockBases,
                                 std::size_t rank) {
  SmallVector<int32_t> parts(rank, 1), own = shapeOf(offsetBases, rank);
  for (auto [i, component] : llvm::enumerate(blockBases))
    parts[i % rank] = std::max(parts[i % rank], component * 2);
  for (auto [extent, count, whole] : llvm::zip_equal(own, parts, shape.take_back(rank)))
    if (int64_t(extent) * count != whole) {
      InFlightDiagnostic error = emitError() << "the encoding is for buffers of ";
      llvm::interleave(
          llvm::zip_equal(own, parts),
          [&](const auto &pair) { error << int64_t(std::get<0>(pair)) * std::get<1>(pair); }, [&] { error << " x "; });
      return error << " elements";
    }
  return success();
}

/// Text has the bases of blocks in elements, and the parameters have them in parts.
static SmallVector<int32_t> inParts(llvm::ArrayRef<int32_t> blockBases, llvm::ArrayRef<int32_t> part,
                                    bool areElements) {
  SmallVector<int32_t> bases(blockBases);
  for (auto [i, component] : llvm::enumerate(bases))
    component = areElements ? component / part[i % part.size()] : component * part[i % part.size()];
  return bases;
}

namespace {
/// What both encodings list.
struct Bases {
  SmallVector<int32_t> offset, block;
  std::size_t rank = 0;

  explicit Bases(FieldReader &fields) : rank(fields.rankOfBases("offset")) {
    offset = fields.bases("offset", rank);
    if (fields.has("block"))
      block = inParts(fields.bases("block", rank), shapeOf(offset, rank), /*areElements=*/true);
  }
};
} // namespace

template <typename Encoding> static void printOffsets(AsmPrinter &printer, Encoding encoding) {
  printBases(printer, "offset", encoding.getOffsetBases(), encoding.getRank());
  if (encoding.getBlockBases().empty())
    return;
  printer << ", ";
  SmallVector<int32_t> part = shapeOf(encoding.getOffsetBases(), encoding.getRank());
  printBases(printer, "block", inParts(encoding.getBlockBases(), part, /*areElements=*/false), encoding.getRank());
}

static SmallVector<int32_t> flattenOffsets(const LinearLayout &layout) {
  SmallVector<int32_t> flat;
  for (const layout::Basis &basis : layout.findInput("offset")->bases)
    llvm::append_range(flat, basis);
  return flat;
}

//===----------------------------------------------------------------------===//
// shared_linear
//===----------------------------------------------------------------------===//

SharedLinearEncodingAttr SharedLinearEncodingAttr::get(MLIRContext *context, const LinearLayout &layout,
                                                       unsigned alignment) {
  return get(context, flattenOffsets(layout), llvm::ArrayRef<int32_t>(), layout.outputs().size(), alignment);
}

Attribute SharedLinearEncodingAttr::parse(AsmParser &parser, Type) {
  unsigned alignment = leastAlignment;
  FieldReader fields(
      parser, [] { return ParseResult(success()); },
      [&] {
        return ParseResult(
            failure(succeeded(parser.parseOptionalComma()) &&
                    (parser.parseKeyword("alignment") || parser.parseEqual() || parser.parseInteger(alignment))));
      });
  Bases bases(fields);
  if (!fields)
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                    llvm::ArrayRef<int32_t>(bases.offset), llvm::ArrayRef<int32_t>(bases.block), unsigned(bases.rank),
                    alignment);
}

void SharedLinearEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  printOffsets(printer, *this);
  printer << "}, alignment = " << getAlignment() << ">";
}

LogicalResult SharedLinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               llvm::ArrayRef<int32_t> offsetBases, llvm::ArrayRef<int32_t> blockBases,
                                               unsigned rank, unsigned alignment) {
  if (!llvm::isPowerOf2_32(alignment))
    return emitError() << "alignment must be a power of two, not " << alignment;
  return verifyBases(emitError, offsetBases, blockBases, rank);
}

LinearLayout SharedLinearEncodingAttr::getOffsetLayout(llvm::ArrayRef<int32_t> shape) const {
  return offsetsOf(getOffsetBases(), getRank(), shape);
}

std::size_t SharedLinearEncodingAttr::getAlignment(std::size_t) const {
  return std::max(leastAlignment, getAlignment());
}

Attribute SharedLinearEncodingAttr::getPermuted(llvm::ArrayRef<int32_t> order) const {
  if (order.size() != getRank())
    return {};
  return get(getContext(), permuteBlockBases(getOffsetBases(), order), permuteBlockBases(getBlockBases(), order),
             getRank(), getAlignment());
}

LogicalResult SharedLinearEncodingAttr::verifyBuffer(function_ref<InFlightDiagnostic()> emitError,
                                                     llvm::ArrayRef<int64_t> shape, Type) const {
  return verifyShape(emitError, shape, getOffsetBases(), getBlockBases(), getRank());
}

//===----------------------------------------------------------------------===//
// padded_shared
//===----------------------------------------------------------------------===//

/// The bases of rows whose dimensions are in this order, the fastest first.
static SmallVector<int32_t> basesInOrder(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> shape) {
  SmallVector<int32_t> bases;
  for (unsigned dimension : order)
    for (unsigned place = 1; place < shape[dimension]; place *= 2) {
      bases.append(shape.size(), 0);
      bases[bases.size() - shape.size() + dimension] = int32_t(place);
    }
  return bases;
}

/// The order of dimensions whose rows the bases are, if there is one.
static std::optional<SmallVector<unsigned>> findOrder(llvm::ArrayRef<int32_t> bases, llvm::ArrayRef<unsigned> shape) {
  SmallVector<unsigned> order;
  auto append = [&](unsigned dimension) {
    if (!llvm::is_contained(order, dimension))
      order.push_back(dimension);
  };
  for (auto [i, component] : llvm::enumerate(bases))
    if (component != 0)
      append(unsigned(i % shape.size()));
  for (std::size_t dimension = shape.size(); dimension-- > 0;)
    append(unsigned(dimension));
  return basesInOrder(order, shape) == bases ? std::optional(order) : std::nullopt;
}

static ParseResult parsePaddings(AsmParser &parser, SmallVectorImpl<int32_t> &pairs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return ParseResult(failure(parser.parseInteger(pairs.emplace_back()) || parser.parseColon() || parser.parsePlus() ||
                               parser.parseInteger(pairs.emplace_back())));
  });
}

Attribute PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int32_t> pairs;
  FieldReader fields(parser, [&] { return parsePaddings(parser, pairs); });
  auto make = [&](llvm::ArrayRef<int32_t> offset, llvm::ArrayRef<int32_t> block, std::size_t rank) {
    return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                      llvm::ArrayRef<int32_t>(pairs), offset, block, unsigned(rank));
  };
  if (fields.has("order")) {
    SmallVector<unsigned> order = fields.integers("order"), shape = fields.integers("shape");
    bool fits = order.size() == shape.size() && isPermutation(order) &&
                llvm::all_of(shape, [](unsigned extent) { return llvm::isPowerOf2_32(extent) && extent < 1u << 30; });
    if (fields && !fits)
      fields.fail("order", "a permutation of the dimensions of `shape`, whose extents are powers of two");
    return fields ? make(basesInOrder(order, shape), {}, shape.size()) : Attribute();
  }
  Bases bases(fields);
  return fields ? make(bases.offset, bases.block, bases.rank) : Attribute();
}

void PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  for (std::size_t i = 0; i < getIntervalPaddings().size(); i += 2)
    printer << (i ? ", " : "") << getIntervalPaddings()[i] << ":+" << getIntervalPaddings()[i + 1];
  printer << "] {";
  SmallVector<unsigned> shape = llvm::to_vector_of<unsigned>(shapeOf(getOffsetBases(), getRank()));
  std::optional<SmallVector<unsigned>> order = findOrder(getOffsetBases(), shape);
  if (order && getBlockBases().empty()) {
    printList(printer, "order", *order);
    printer << ", ";
    printList(printer, "shape", shape);
  } else {
    printOffsets(printer, *this);
  }
  printer << "}>";
}

LogicalResult PaddedSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               llvm::ArrayRef<int32_t> pairs, llvm::ArrayRef<int32_t> offsetBases,
                                               llvm::ArrayRef<int32_t> blockBases, unsigned rank) {
  constexpr int32_t most = 1 << 20; // elements of a tensor
  llvm::SmallSet<int32_t, 4> intervals;
  if (pairs.empty() || pairs.size() % 2 != 0)
    return emitError() << "needs pairs of an interval and a padding";
  for (int32_t number : pairs)
    if (number <= 0 || number > most || !llvm::isPowerOf2_32(uint32_t(number)))
      return emitError() << "intervals and paddings must be powers of two up to " << most << ", not " << number;
  for (std::size_t i = 0; i < pairs.size(); i += 2)
    if (!intervals.insert(pairs[i]).second)
      return emitError() << "has two paddings for the interval " << pairs[i];
  return verifyBases(emitError, offsetBases, blockBases, rank);
}

LinearLayout PaddedSharedEncodingAttr::getOffsetLayout(llvm::ArrayRef<int32_t> shape) const {
  return offsetsOf(getOffsetBases(), getRank(), shape);
}

std::size_t PaddedSharedEncodingAttr::getAlignment(std::size_t) const { return 128; }

llvm::ArrayRef<int32_t> PaddedSharedEncodingAttr::getPaddings() const { return getIntervalPaddings(); }

Attribute PaddedSharedEncodingAttr::getPermuted(llvm::ArrayRef<int32_t> order) const {
  if (order.size() != getRank())
    return {};
  return get(getContext(), getIntervalPaddings(), permuteBlockBases(getOffsetBases(), order),
             permuteBlockBases(getBlockBases(), order), getRank());
}

/// Several buffers in a row are each as long as the paddings in one make it.
LogicalResult PaddedSharedEncodingAttr::verifyBuffer(function_ref<InFlightDiagnostic()> emitError,
                                                     llvm::ArrayRef<int64_t> shape, Type) const {
  int64_t elements = int64_t(1) << (getOffsetBases().size() / getRank());
  for (std::size_t i = 0; i < getIntervalPaddings().size() && shape.size() > getRank(); i += 2)
    if (getIntervalPaddings()[i] > elements)
      return emitError() << "each of several buffers has " << elements << " elements, and the interval of a padding "
                         << getIntervalPaddings()[i];
  return verifyShape(emitError, shape, getOffsetBases(), getBlockBases(), getRank());
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

llvm::ArrayRef<int32_t> getPaddings(MemDescType buffer) {
  return cast<SharedEncodingInterface>(buffer.getEncoding()).getPaddings();
}

int64_t addPaddings(int64_t offset, llvm::ArrayRef<int32_t> paddings) {
  int64_t padded = offset;
  for (std::size_t i = 0; i < paddings.size(); i += 2)
    padded += offset / paddings[i] * paddings[i + 1];
  return padded;
}

/// The encoding of matrix units with which a buffer of this shape has its elements at `offsets`; null if there is none.
static Attribute findUnitEncoding(NvmmaSharedEncodingAttr encoding, llvm::ArrayRef<int64_t> shape,
                                  const LinearLayout &offsets) {
  if (encoding.getTransposed() || shape.size() < 2 || shape.back() < encoding.getPieceElements())
    return {};
  auto found = NvmmaSharedEncodingAttr::get(encoding.getContext(), encoding.getSwizzlingByteWidth(), false,
                                            encoding.getElementBitWidth(), unsigned(shape.size()), {});
  return found.getOffsetLayout(SmallVector<int32_t>(shape)) == offsets ? Attribute(found) : Attribute();
}

Attribute getPermutedEncoding(MemDescType buffer, llvm::ArrayRef<int32_t> order) {
  auto encoding = cast<SharedEncodingInterface>(buffer.getEncoding());
  if (Attribute named = encoding.getPermuted(order))
    return named;
  if (!encoding.getBlockBases().empty() || buffer.isPart() || encoding.getRank() != order.size())
    return {};
  SmallVector<int32_t> bases = permuteBlockBases(flattenOffsets(toLinearLayout(buffer)), order);
  return SharedLinearEncodingAttr::get(buffer.getContext(), bases, llvm::ArrayRef<int32_t>(), unsigned(order.size()),
                                       leastAlignment);
}

Attribute getReshapedEncoding(MemDescType buffer, llvm::ArrayRef<int64_t> shape) {
  auto encoding = cast<SharedEncodingInterface>(buffer.getEncoding());
  if (shape == buffer.getShape())
    return encoding;
  if (!encoding.getBlockBases().empty() || buffer.isPart())
    return {};
  LinearLayout offsets = reshapeRowMajor(toLinearLayout(buffer), shape);
  if (auto padded = dyn_cast<PaddedSharedEncodingAttr>(buffer.getEncoding()))
    return PaddedSharedEncodingAttr::get(buffer.getContext(), padded.getIntervalPaddings(), flattenOffsets(offsets),
                                         llvm::ArrayRef<int32_t>(), unsigned(shape.size()));
  if (auto unit = dyn_cast<NvmmaSharedEncodingAttr>(buffer.getEncoding()))
    if (Attribute found = findUnitEncoding(unit, shape, offsets))
      return found;
  if (buffer.getNumElements() == 1) // without bases
    return SwizzledSharedEncodingAttr::get(
        buffer.getContext(), 1, 1, 1, llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, unsigned(shape.size())))));
  bool isAligned = isa<NvmmaSharedEncodingAttr, SharedLinearEncodingAttr>(buffer.getEncoding());
  auto alignment = isAligned ? unsigned(encoding.getAlignment(/*bytes=*/0)) : leastAlignment;
  return SharedLinearEncodingAttr::get(buffer.getContext(), offsets, alignment);
}

} // namespace triton::ttg

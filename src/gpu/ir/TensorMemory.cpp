// Tensor memory, the memory of the matrix unit of compute capability 10.0: text and invariants of what Triton says of
// it.
#include "gpu/ir/BufferViews.h"
#include "gpu/ir/EncodingText.h"
#include "gpu/ir/ForeignDialects.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

//===----------------------------------------------------------------------===//
// Text that operations share
//===----------------------------------------------------------------------===//

/// `[]` or `[%token]` where the operation gives a token, and else nothing.
static ParseResult parseToken(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &dep, Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = AsyncTokenType::get(parser.getContext());
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseOperand(dep.emplace()) || parser.parseRSquare());
}

static void printToken(OpAsmPrinter &printer, Operation *, Value dep, Type token) {
  if (!token)
    return;
  printer << "[";
  if (dep)
    printer << dep;
  printer << "]";
}

/// `, %barrier[%condition]` any number of times.
static ParseResult parseBarriers(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &conditions) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(conditions.emplace_back()) || parser.parseRSquare())
      return failure();
  return success();
}

static void printBarriers(OpAsmPrinter &printer, Operation *, OperandRange barriers, OperandRange conditions) {
  for (auto [barrier, condition] : llvm::zip(barriers, conditions))
    printer << ", " << barrier << "[" << condition << "]";
}

} // namespace triton::ttg

#define GET_ATTRDEF_CLASSES
#include "gpu/ir/ForeignAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "gpu/ir/ForeignOps.cpp.inc"

namespace triton::ttg {

void TtngDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "gpu/ir/ForeignAttrs.cpp.inc"
      >();
}

Attribute TtngDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef name;
  Attribute attribute;
  if (generatedAttributeParser(parser, &name, type, attribute).has_value())
    return attribute;
  parser.emitError(place) << "unknown attribute `" << name << "` in dialect `" << getNamespace() << "`";
  return {};
}

void TtngDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

bool isInTensorMemory(Type type) {
  auto buffer = dyn_cast<MemDescType>(type);
  return buffer && isa<foreign::TensorMemorySpaceAttr>(buffer.getMemorySpace());
}

namespace foreign {

constexpr std::size_t matrixRank = 2;

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

Attribute TensorMemoryEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields = FieldReader::withoutBraces(parser);
  unsigned rows = fields.integer("blockM"), columns = fields.integer("blockN"), stride = fields.integer("colStride");
  SmallVector<int32_t> blockBases = fields.blockBases(matrixRank);
  bool twoCTAs = fields.has("twoCTAs") && fields.boolean("twoCTAs");
  bool fp4Padded = fields.has("fp4Padded") && fields.boolean("fp4Padded");
  if (!fields)
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), rows, columns, stride,
                    llvm::ArrayRef<int32_t>(blockBases), twoCTAs, fp4Padded);
}

void TensorMemoryEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<blockM = " << getBlockM() << ", blockN = " << getBlockN() << ", colStride = " << getColStride();
  printBlockBases(printer, getBlockBases(), matrixRank);
  if (getTwoCTAs())
    printer << ", twoCTAs = true";
  if (getFp4Padded())
    printer << ", fp4Padded = true";
  printer << ">";
}

constexpr int64_t mostColumns = 512;

LogicalResult TensorMemoryEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rows,
                                               unsigned columns, unsigned stride, llvm::ArrayRef<int32_t> blockBases,
                                               bool, bool) {
  if (rows != 64 && rows != 128)
    return emitError() << "blockM is " << rows << ", it must be 64 or 128";
  if (!llvm::isPowerOf2_32(columns) || columns > mostColumns)
    return emitError() << "blockN is " << columns << ", it must be a power of two up to " << mostColumns;
  if (!llvm::is_contained({1u, 2u, 4u}, stride))
    return emitError() << "colStride is " << stride << ", it must be 1, 2 or 4";
  return verifyBlockBases(emitError, blockBases, matrixRank);
}

Attribute TensorMemoryScalesEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields = FieldReader::withoutBraces(parser);
  SmallVector<int32_t> blockBases = fields.blockBases(matrixRank);
  if (!fields)
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                    llvm::ArrayRef<int32_t>(blockBases));
}

void TensorMemoryScalesEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getBlockBases().empty())
    printBases(printer, "CGALayout", getBlockBases(), matrixRank);
  printer << ">";
}

LogicalResult TensorMemoryScalesEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                     llvm::ArrayRef<int32_t> blockBases) {
  return verifyBlockBases(emitError, blockBases, matrixRank);
}

Attribute RedOpAttr::parse(AsmParser &parser, Type) {
  std::string kind;
  if (parser.parseLess() || parser.parseKeywordOrString(&kind) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), kind);
}

void RedOpAttr::print(AsmPrinter &printer) const { printer << "<" << getKind() << ">"; }

LogicalResult RedOpAttr::verify(function_ref<InFlightDiagnostic()> emitError, llvm::StringRef kind) {
  if (kind != "min" && kind != "max")
    return emitError() << "expected min or max, not " << kind;
  return success();
}

/// How many parts the blocks of a cluster make of a dimension.
static int64_t countParts(llvm::ArrayRef<int32_t> blockBases, std::size_t dimension) {
  int64_t parts = 1;
  for (std::size_t i = dimension; i < blockBases.size(); i += matrixRank)
    parts = std::max<int64_t>(parts, int64_t(blockBases[i]) * 2);
  return parts;
}

LogicalResult verifyTensorMemory(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int64_t> shape,
                                 Type elementType, Attribute encoding) {
  auto matrix = dyn_cast_or_null<TensorMemoryEncodingAttr>(encoding);
  if (!matrix && !isa_and_nonnull<TensorMemoryScalesEncodingAttr>(encoding))
    return emitError() << "a buffer in tensor memory needs #ttng.tensor_memory_encoding or "
                          "#ttng.tensor_memory_scales_encoding, not "
                       << encoding;
  unsigned bits = elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 0;
  if (matrix ? !llvm::is_contained({8u, 16u, 32u}, bits) : bits != 8)
    return emitError() << "elements in tensor memory have "
                       << (matrix ? "8, 16 or 32 bits" : "8 bits if they are scales") << ", not the type "
                       << elementType;
  if (shape.size() < matrixRank)
    return emitError() << "tensor memory holds matrices, not buffers of rank " << shape.size();
  for (int64_t count : shape.drop_back(matrixRank))
    if (count <= 0 || count > mostColumns)
      return emitError() << "a buffer in tensor memory has 1 to " << mostColumns << " matrices, not " << count;
  llvm::ArrayRef<int64_t> extents = shape.take_back(matrixRank);
  for (int64_t extent : extents)
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent)))
      return emitError() << "the extents of a buffer must be powers of two, not " << extent;
  if (!matrix)
    return success();
  int64_t rows = extents[0] / countParts(matrix.getBlockBases(), 0);
  int64_t columns = extents[1] / countParts(matrix.getBlockBases(), 1);
  if (rows < int64_t(matrix.getBlockM()) || columns < int64_t(matrix.getBlockN()))
    return emitError() << "a block of the cluster has " << rows << " rows of " << columns
                       << " elements; the encoding needs at least " << matrix.getBlockM() << " rows of "
                       << matrix.getBlockN();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LogicalResult verifyWritten(Operation *op, MemDescType buffer) {
  return buffer.getMutableMemory() ? success() : op->emitOpError() << "writes to a buffer that is not mutable";
}

LogicalResult TMEMAllocOp::verify() {
  if (getSrc())
    return verifyTransfer(*this, getSrc().getType(), getResult().getType());
  if (!getResult().getType().getMutableMemory())
    return emitOpError() << "makes a buffer without contents, which must be mutable";
  return success();
}

LogicalResult TMEMLoadOp::verify() {
  if (bool(getRedOp()) != bool(getRed()))
    return emitOpError() << "has a second tensor as its result where it has a `redOp`, and only there";
  return verifyTransfer(*this, getResult().getType(), getSrc().getType());
}

LogicalResult TMEMStoreOp::verify() {
  if (failed(verifyWritten(*this, getDst().getType())))
    return failure();
  return verifyTransfer(*this, getSrc().getType(), getDst().getType());
}

LogicalResult TMEMSubSliceOp::verify() {
  MemDescType source = getSrc().getType(), result = getResult().getType();
  int64_t rank = source.getRank(), dimension = getDim() ? int64_t(*getDim()) : rank - 1;
  if (rank != int64_t(matrixRank) || result.getRank() != rank || dimension >= rank ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "takes a part of " << source << ", which is not " << result;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dimension && source.getDimSize(i) != result.getDimSize(i))
      return emitOpError() << "takes a part of " << source << " along dimension " << dimension << ", which is not "
                           << result;
  if (int64_t(getOffset()) + result.getDimSize(dimension) > source.getDimSize(dimension))
    return emitOpError() << "takes " << result.getDimSize(dimension) << " of " << source.getDimSize(dimension)
                         << " elements from " << getOffset() << " on, but a part must lie inside";
  return success();
}

LogicalResult TMEMCopyOp::verify() {
  MemDescType source = getSrc().getType(), result = getDst().getType();
  if (source.getNumElements() != result.getNumElements() || source.getElementType() != result.getElementType())
    return emitOpError() << "copies " << source << " to " << result << ", which must have as many of the same elements";
  return verifyWritten(*this, result);
}

namespace {

/// How many elements along K an element of a buffer holds.
int64_t packing(tt::ScaleDotElemType format, MemDescType buffer) {
  return format == tt::ScaleDotElemType::E2M1 && buffer.getElementTypeBitWidth() == 8 ? 2 : 1;
}

/// A block of a pair has half of the columns of the second factor.
template <typename Product> bool fitsColumns(Product op) {
  int64_t columns = op.getB().getType().getDimSize(1), wanted = op.getD().getType().getDimSize(1);
  return columns == wanted || (op.getTwoCtas() && columns * 2 == wanted);
}

template <typename Product> LogicalResult verifyProduct(Product op, int64_t aPacking, int64_t bPacking) {
  MemDescType a = op.getA().getType(), b = op.getB().getType(), d = op.getD().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || d.getRank() != 2 || a.getDimSize(0) != d.getDimSize(0) ||
      !fitsColumns(op) || a.getDimSize(1) * aPacking != b.getDimSize(0) * bPacking)
    return op.emitOpError() << "multiplies " << a << " by " << b << " into " << d << ", whose shapes do not fit";
  if (op.getBarriers().size() != op.getBarrierConditions().size())
    return op.emitOpError() << "needs a condition for each of its " << op.getBarriers().size() << " barriers";
  auto encoding = dyn_cast<TensorMemoryEncodingAttr>(d.getEncoding());
  if (!encoding)
    return op.emitOpError() << "gives a product the encoding of scales, " << d.getEncoding();
  if (encoding.getTwoCTAs() != op.getTwoCtas())
    return op.emitOpError() << "is " << (op.getTwoCtas() ? "" : "not ")
                            << "shared by two blocks, but `twoCTAs` of its result says "
                            << (encoding.getTwoCTAs() ? "true" : "false");
  return verifyWritten(op, d);
}

} // namespace

LogicalResult TCGen5MMAOp::verify() { return verifyProduct(*this, 1, 1); }

LogicalResult TCGen5MMAScaledOp::verify() {
  int64_t aPacking = packing(getAType(), getA().getType()), bPacking = packing(getBType(), getB().getType());
  if (failed(verifyProduct(*this, aPacking, bPacking)))
    return failure();
  int64_t depth = getA().getType().getDimSize(1) * aPacking;
  MemDescType d = getD().getType();
  for (auto [scale, rows] :
       {std::pair(getAScale().getType(), d.getDimSize(0)), std::pair(getBScale().getType(), d.getDimSize(1))}) {
    constexpr int64_t elementsOfScale[] = {16, 32};
    bool isKnown = scale.getRank() == 2 && scale.getDimSize(0) == rows &&
                   llvm::is_contained(elementsOfScale, depth / scale.getDimSize(1));
    if (!isKnown)
      return emitOpError() << "has the scales " << scale << " for " << rows << " rows of " << depth
                           << " elements, but a scale is for 16 or 32 elements of a row";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

/// The address of the columns is passed through shared memory.
std::size_t TMEMReserveOp::getScratchBytes() { return sizeof(int32_t); }

/// What a product or a copy reads later, barriers in shared memory say.
template <typename Product> static void appendFactors(Product op, SmallVectorImpl<BufferAccess> &accesses) {
  for (Value factor : {Value(op.getA()), Value(op.getB())})
    if (!isInTensorMemory(factor.getType()))
      accesses.push_back({factor});
}

void TCGen5MMAOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { appendFactors(*this, accesses); }
void TCGen5MMAScaledOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { appendFactors(*this, accesses); }
void TMEMCopyOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { accesses.push_back({getSrc()}); }
void CLCLoadResultOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { accesses.push_back({getAnswer()}); }
void CLCTryCancelOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getAnswer(), /*isWrite=*/true, /*isAsynchronous=*/true});
}

bool TMEMAllocOp::computesInAnyLayout() { return false; }
Attribute TMEMAllocOp::inferResultLayout(Attribute) { return {}; }
Attribute TMEMAllocOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult TMEMAllocOp::verifyLayouts() { return success(); }

bool TMEMLoadOp::computesInAnyLayout() { return false; }
Attribute TMEMLoadOp::inferResultLayout(Attribute) { return {}; }
Attribute TMEMLoadOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult TMEMLoadOp::verifyLayouts() { return success(); }

bool TMEMStoreOp::computesInAnyLayout() { return false; }
Attribute TMEMStoreOp::inferResultLayout(Attribute) { return {}; }
Attribute TMEMStoreOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult TMEMStoreOp::verifyLayouts() { return success(); }

} // namespace foreign
} // namespace triton::ttg

// Text and invariants of the encodings of distributed tensors; those of buffers are in SharedEncodings.cpp.
#include "gpu/ir/EncodingText.h"
#include "layout/Constructors.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "gpu/ir/TritonGPUAttrs.cpp.inc"

namespace triton::ttg {

namespace {

/// Which tiles each bit of a register's and of a warp's number adds.
struct TileBases {
  unsigned rank = 0;
  SmallVector<int32_t> registers, warps;
};

} // namespace

void TritonGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "gpu/ir/TritonGPUAttrs.cpp.inc"
      >();
}

Attribute TritonGPUDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef name;
  Attribute attribute;
  if (generatedAttributeParser(parser, &name, type, attribute).has_value())
    return attribute;
  if (name == "amd_rotating_shared")
    return parseRotatingShared(parser);
  parser.emitError(place) << "unknown attribute `" << name << "` in dialect `" << getNamespace() << "`";
  return {};
}

void TritonGPUDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

//===----------------------------------------------------------------------===//
// Tensors that carry an encoding
//===----------------------------------------------------------------------===//

unsigned getEncodingRank(Attribute encoding) {
  return llvm::TypeSwitch<Attribute, unsigned>(encoding)
      .Case([](BlockedEncodingAttr blocked) { return blocked.getOrder().size(); })
      .Case([](SliceEncodingAttr slice) { return getEncodingRank(slice.getParent()) - 1; })
      .Case([](MatrixEncodingInterface matrix) { return matrix.getRank(); })
      .Case([](DotOperandEncodingAttr operand) { return getEncodingRank(operand.getParent()); })
      .Case([](LinearEncodingAttr linear) { return linear.getShape().size(); })
      .Case([](SharedEncodingInterface shared) { return shared.getRank(); })
      .Default(0u);
}

static LogicalResult verifyTensor(Attribute encoding, llvm::ArrayRef<int64_t> shape,
                                  function_ref<InFlightDiagnostic()> emitError) {
  if (getEncodingRank(encoding) != shape.size())
    return emitError() << "the encoding has rank " << getEncodingRank(encoding) << ", the tensor has rank "
                       << shape.size();
  for (int64_t extent : shape)
    if (!llvm::isPowerOf2_64(uint64_t(extent)))
      return emitError() << "the extents of a tensor with a layout must be powers of two, not " << extent;
  return success();
}

#define TRITON_DISTRIBUTED_ENCODING(Encoding)                                                                          \
  LogicalResult Encoding::verifyEncoding(llvm::ArrayRef<int64_t> shape, Type,                                          \
                                         function_ref<InFlightDiagnostic()> emitError) const {                         \
    return verifyTensor(*this, shape, emitError);                                                                      \
  }
TRITON_DISTRIBUTED_ENCODING(BlockedEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(SliceEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(NvidiaMmaEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(AmdMfmaEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(AmdWmmaEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(DotOperandEncodingAttr)
TRITON_DISTRIBUTED_ENCODING(LinearEncodingAttr)
#undef TRITON_DISTRIBUTED_ENCODING

//===----------------------------------------------------------------------===//
// Text and invariants
//===----------------------------------------------------------------------===//

Attribute BlockedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  auto sizePerThread = fields.integers("sizePerThread"), threadsPerWarp = fields.integers("threadsPerWarp"),
       warpsPerCTA = fields.integers("warpsPerCTA"), order = fields.integers("order");
  auto blockBases = fields.blockBases(order.size());
  if (!fields)
    return {};
  return parser.getChecked<BlockedEncodingAttr>(parser.getContext(), sizePerThread, threadsPerWarp, warpsPerCTA, order,
                                                blockBases);
}

void BlockedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  printList(printer, "sizePerThread", getSizePerThread());
  printer << ", ";
  printList(printer, "threadsPerWarp", getThreadsPerWarp());
  printer << ", ";
  printList(printer, "warpsPerCTA", getWarpsPerCTA());
  printer << ", ";
  printList(printer, "order", getOrder());
  printBlockBases(printer, getBlockBases(), getOrder().size());
  printer << "}>";
}

LogicalResult BlockedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                          llvm::ArrayRef<unsigned> sizePerThread,
                                          llvm::ArrayRef<unsigned> threadsPerWarp, llvm::ArrayRef<unsigned> warpsPerCTA,
                                          llvm::ArrayRef<unsigned> order, llvm::ArrayRef<int32_t> blockBases) {
  std::size_t rank = order.size();
  if (sizePerThread.size() != rank || threadsPerWarp.size() != rank || warpsPerCTA.size() != rank)
    return emitError() << "sizePerThread, threadsPerWarp, warpsPerCTA and order must have the same length";
  if (!isPermutation(order))
    return emitError() << "order must be a permutation of the dimensions";
  for (llvm::ArrayRef<unsigned> sizes : {sizePerThread, threadsPerWarp, warpsPerCTA})
    if (!llvm::all_of(sizes, llvm::isPowerOf2_32))
      return emitError() << "sizes must be powers of two";
  constexpr uint64_t most = uint64_t(1) << 30; // Layouts count in 32 bits
  for (auto [elements, threads, warps] : llvm::zip_equal(sizePerThread, threadsPerWarp, warpsPerCTA))
    if (elements > most || threads > most / elements || warps > most / elements / threads)
      return emitError() << "the sizes of a dimension must multiply to at most " << most;
  return verifyBlockBases(emitError, blockBases, rank);
}

BlockedEncodingAttr BlockedEncodingAttr::getDefault(MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                                    llvm::ArrayRef<unsigned> sizePerThread,
                                                    llvm::ArrayRef<unsigned> order, unsigned numWarps,
                                                    unsigned threadsPerWarp) {
  unsigned rank = order.size();
  SmallVector<unsigned> threads(rank, 1), warps(rank, 1);
  unsigned remainingThreads = threadsPerWarp, remainingWarps = numWarps;
  for (auto [position, dimension] : llvm::enumerate(order)) {
    int64_t extent = std::max<int64_t>(1, shape[dimension] / sizePerThread[dimension]);
    bool last = position + 1 == rank;
    threads[dimension] = last ? remainingThreads : unsigned(std::min<int64_t>(remainingThreads, extent));
    remainingThreads /= threads[dimension];
    extent = std::max<int64_t>(1, extent / threads[dimension]);
    warps[dimension] = last ? remainingWarps : unsigned(std::min<int64_t>(remainingWarps, extent));
    remainingWarps /= warps[dimension];
  }
  return BlockedEncodingAttr::get(context, sizePerThread, threads, warps, order);
}

Attribute SliceEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned dim = fields.integer("dim");
  Attribute parent = fields.attribute("parent");
  return fields ? parser.getChecked<SliceEncodingAttr>(parser.getContext(), dim, parent) : Attribute();
}

void SliceEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{dim = " << getDim() << ", parent = " << getParent() << "}>";
}

LogicalResult SliceEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned dim, Attribute parent) {
  if (!parent)
    return emitError() << "a slice needs a parent encoding";
  unsigned rank = getEncodingRank(parent);
  if (isa<SharedEncodingInterface>(parent) || rank == 0)
    return emitError() << "the parent of a slice must be an encoding of distributed tensors";
  if (dim >= rank)
    return emitError() << "dim is " << dim << ", the parent has rank " << rank;
  return success();
}

Attribute NvidiaMmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned major = fields.integer("versionMajor"), minor = fields.integer("versionMinor");
  auto warpsPerCTA = fields.integers("warpsPerCTA"), instrShape = fields.integers("instrShape");
  auto blockBases = fields.blockBases(warpsPerCTA.size());
  if (!fields)
    return {};
  return parser.getChecked<NvidiaMmaEncodingAttr>(parser.getContext(), major, minor, warpsPerCTA, instrShape,
                                                  blockBases);
}

void NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{versionMajor = " << getVersionMajor() << ", versionMinor = " << getVersionMinor() << ", ";
  printList(printer, "warpsPerCTA", getWarpsPerCTA());
  printer << ", ";
  printList(printer, "instrShape", getInstrShape());
  printBlockBases(printer, getBlockBases(), getWarpsPerCTA().size());
  printer << "}>";
}

/// Layouts count in 32 bits, of which tiles need some.
static LogicalResult verifyWarpCounts(function_ref<InFlightDiagnostic()> emitError,
                                      llvm::ArrayRef<unsigned> warpsPerCTA) {
  constexpr uint64_t most = 1024;
  uint64_t all = 1;
  for (unsigned warps : warpsPerCTA) {
    if (!llvm::isPowerOf2_32(warps))
      return emitError() << "sizes must be powers of two";
    all = std::min(all * warps, 2 * most);
  }
  return all <= most ? success() : LogicalResult(emitError() << "there can be at most " << most << " warps");
}

static LogicalResult verifyWarpTile(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<unsigned> warpsPerCTA,
                                    llvm::ArrayRef<unsigned> instrShape) {
  if (warpsPerCTA.size() != instrShape.size() || warpsPerCTA.size() < 2)
    return emitError() << "warpsPerCTA and instrShape must have the tensor's rank, at least 2";
  unsigned rows = instrShape[instrShape.size() - 2], columns = instrShape.back();
  if (rows != 16 || columns != 8)
    return emitError() << "the last two extents of instrShape are " << rows << " and " << columns
                       << "; the results of mma.sync are 16 x 8";
  return success();
}

static LogicalResult verifyWarpGroupTile(function_ref<InFlightDiagnostic()> emitError,
                                         llvm::ArrayRef<unsigned> warpsPerCTA, llvm::ArrayRef<unsigned> instrShape) {
  if (warpsPerCTA.size() != 2 || warpsPerCTA[0] % 4 != 0)
    return emitError() << "warpsPerCTA must have two extents, the first a multiple of the 4 warps of a group";
  if (instrShape.size() != 3 || instrShape[0] != 16)
    return emitError() << "instrShape must be the rows of a warp, which are 16, the columns and the depth of wgmma";
  unsigned columns = instrShape[1];
  if (!llvm::isPowerOf2_32(columns) || columns < 8 || columns > 256)
    return emitError() << "wgmma computes from 8 to 256 columns, a power of two, not " << columns;
  return success();
}

LogicalResult NvidiaMmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned versionMajor,
                                            unsigned /*versionMinor*/, llvm::ArrayRef<unsigned> warpsPerCTA,
                                            llvm::ArrayRef<unsigned> instrShape, llvm::ArrayRef<int32_t> blockBases) {
  if (versionMajor != 2 && versionMajor != 3)
    return emitError() << "matrix units of version " << versionMajor << " are not known; 2 is mma.sync, 3 is wgmma";
  if (failed(verifyWarpCounts(emitError, warpsPerCTA)))
    return failure();
  LogicalResult tile = versionMajor == 2 ? verifyWarpTile(emitError, warpsPerCTA, instrShape)
                                         : verifyWarpGroupTile(emitError, warpsPerCTA, instrShape);
  return failed(tile) ? failure() : verifyBlockBases(emitError, blockBases, warpsPerCTA.size());
}

static LogicalResult verifyWarps(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<unsigned> warpsPerCTA,
                                 llvm::ArrayRef<int32_t> blockBases) {
  if (warpsPerCTA.size() < 2)
    return emitError() << "warpsPerCTA must have the tensor's rank, at least 2";
  if (failed(verifyWarpCounts(emitError, warpsPerCTA)))
    return failure();
  return verifyBlockBases(emitError, blockBases, warpsPerCTA.size());
}

Attribute AmdMfmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned version = fields.integer("version");
  auto warpsPerCTA = fields.integers("warpsPerCTA"), instrShape = fields.integers("instrShape");
  bool isTransposed = fields.boolean("isTransposed");
  unsigned width = fields.has("elementBitWidth") ? fields.integer("elementBitWidth") : 32;
  auto tilesPerWarp = fields.has("tilesPerWarp") ? fields.integers("tilesPerWarp") : SmallVector<unsigned>();
  if (tilesPerWarp.size() == warpsPerCTA.size() && llvm::all_of(tilesPerWarp, [](unsigned n) { return n == 1; }))
    tilesPerWarp.clear();
  auto blockBases = fields.blockBases(warpsPerCTA.size());
  if (!fields)
    return {};
  return parser.getChecked<AmdMfmaEncodingAttr>(parser.getContext(), version, warpsPerCTA, instrShape, isTransposed,
                                                width, tilesPerWarp, blockBases);
}

void AmdMfmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion() << ", ";
  printList(printer, "warpsPerCTA", getWarpsPerCTA());
  printer << ", ";
  printList(printer, "instrShape", getInstrShape());
  printer << ", isTransposed = " << (getIsTransposed() ? "true" : "false");
  if (getElementBitWidth() != 32)
    printer << ", elementBitWidth = " << getElementBitWidth();
  if (!getTilesPerWarp().empty()) {
    printer << ", ";
    printList(printer, "tilesPerWarp", getTilesPerWarp());
  }
  printBlockBases(printer, getBlockBases(), getWarpsPerCTA().size());
  printer << "}>";
}

LogicalResult AmdMfmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned version,
                                          llvm::ArrayRef<unsigned> warpsPerCTA, llvm::ArrayRef<unsigned> instrShape,
                                          bool /*isTransposed*/, unsigned elementBitWidth,
                                          llvm::ArrayRef<unsigned> tilesPerWarp, llvm::ArrayRef<int32_t> blockBases) {
  if (version < 2 || version > 4)
    return emitError() << "matrix units of version " << version
                       << " are not known; 2 is gfx90a, 3 is gfx942, 4 is gfx950";
  if (instrShape.size() < 2 || instrShape.size() > 3 || instrShape[0] != instrShape[1] ||
      (instrShape[0] != 16 && instrShape[0] != 32))
    return emitError()
           << "instrShape must be the rows, the columns and the depth of an instruction, of which the first "
              "two are 16, or both 32";
  if (elementBitWidth != 32 && (elementBitWidth != 64 || instrShape[0] != 16))
    return emitError() << "accumulators have 32 bits, or 64 in tiles of 16 x 16";
  constexpr unsigned mostTiles = 1024;
  if (!tilesPerWarp.empty() &&
      (tilesPerWarp.size() != warpsPerCTA.size() ||
       llvm::any_of(tilesPerWarp, [](unsigned count) { return !llvm::isPowerOf2_32(count) || count > mostTiles; })))
    return emitError() << "tilesPerWarp must have a power of two up to " << mostTiles << " for each dimension";
  return verifyWarps(emitError, warpsPerCTA, blockBases);
}

/// The tiles of a warp and of its registers, by bases or, as older texts have it, by numbers of warps.
static FailureOr<TileBases> readTiles(FieldReader &fields) {
  TileBases tiles;
  if (fields.has("warpsPerCTA")) {
    auto warps = fields.integers("warpsPerCTA");
    constexpr unsigned most = 1024;
    if (!llvm::all_of(warps, [](unsigned count) { return llvm::isPowerOf2_32(count) && count <= most; }))
      fields.fail("warpsPerCTA", "powers of two up to 1024");
    tiles.rank = warps.size();
    if (!fields)
      return failure();
    tiles.warps = AmdWmmaEncodingAttr::basesOfWarps(warps);
    return tiles;
  }
  FieldReader inner = fields.inner("ctaLayout");
  tiles.rank = fields.has("rank") ? fields.integer("rank") : 2;
  if (inner.has("register"))
    tiles.registers = inner.bases("register", tiles.rank);
  if (inner.has("warp"))
    tiles.warps = inner.bases("warp", tiles.rank);
  if (!inner || !fields)
    return failure();
  return tiles;
}

Attribute AmdWmmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned version = fields.integer("version");
  bool isTransposed = fields.boolean("isTranspose");
  auto instrShape = fields.has("instrShape") ? fields.integers("instrShape") : SmallVector<unsigned>{16, 16, 16};
  FailureOr<TileBases> tiles = readTiles(fields);
  if (failed(tiles))
    return {};
  auto blockBases = fields.blockBases(tiles->rank);
  if (!fields)
    return {};
  return parser.getChecked<AmdWmmaEncodingAttr>(parser.getContext(), version, isTransposed, tiles->rank,
                                                tiles->registers, tiles->warps, instrShape, blockBases);
}

void AmdWmmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion() << ", isTranspose = " << (getIsTransposed() ? "true" : "false")
          << ", ctaLayout = {";
  if (!getRegisterBases().empty()) {
    printBases(printer, "register", getRegisterBases(), getRank());
    printer << ", ";
  }
  printBases(printer, "warp", getWarpBases(), getRank());
  printer << "}, ";
  printList(printer, "instrShape", getInstrShape());
  if (getRank() != 2)
    printer << ", rank = " << getRank();
  printBlockBases(printer, getBlockBases(), getRank());
  printer << "}>";
}

/// Registers have tiles of their own, and with the warps they reach all tiles up to the last.
static LogicalResult verifyTiles(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 llvm::ArrayRef<int32_t> registerBases, llvm::ArrayRef<int32_t> warpBases) {
  constexpr std::size_t mostBits = 10;
  constexpr int32_t mostTiles = 1 << mostBits;
  if (rank < 2 || rank > 3)
    return emitError() << "the tiles of matrix units have 2 or 3 dimensions, not " << rank;
  if (registerBases.size() % rank != 0 || warpBases.size() % rank != 0)
    return emitError() << "each basis of ctaLayout must have " << rank << " numbers";
  if (registerBases.size() / rank > mostBits || warpBases.size() / rank > mostBits)
    return emitError() << "ctaLayout has at most " << mostBits << " bases for registers, and as many for warps";
  for (llvm::ArrayRef<int32_t> bases : {registerBases, warpBases})
    if (llvm::any_of(bases, [](int32_t place) { return place < 0 || place >= mostTiles; }))
      return emitError() << "the numbers in ctaLayout must be from 0 to " << mostTiles - 1;
  SmallVector<int32_t> taken(rank);
  for (std::size_t i = 0; i < registerBases.size(); i += rank) {
    llvm::ArrayRef<int32_t> basis = registerBases.slice(i, rank);
    const auto *place = llvm::find_if(basis, [](int32_t number) { return number != 0; });
    std::size_t dimension = std::size_t(place - basis.begin());
    if (dimension == rank || !llvm::isPowerOf2_32(uint32_t(*place)) || (taken[dimension] & *place) != 0 ||
        llvm::any_of(basis.drop_front(dimension + 1), [](int32_t number) { return number != 0; }))
      return emitError() << "a basis for registers of ctaLayout must be a power of two in one dimension, and differ "
                            "from the others";
    taken[dimension] |= *place;
  }
  return layoutOfTiles(rank, registerBases, warpBases).isSurjective()
             ? success()
             : LogicalResult(emitError() << "the bases of ctaLayout must reach every tile up to the last");
}

LogicalResult AmdWmmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned version,
                                          bool /*isTransposed*/, unsigned rank, llvm::ArrayRef<int32_t> registerBases,
                                          llvm::ArrayRef<int32_t> warpBases, llvm::ArrayRef<unsigned> instrShape,
                                          llvm::ArrayRef<int32_t> blockBases) {
  if (version != 1 && version != 2)
    return emitError() << "matrix units of version " << version << " are not known; 1 is gfx11, 2 is gfx12";
  if (instrShape.size() != 3 || instrShape[0] != 16 || instrShape[1] != 16 || !llvm::isPowerOf2_32(instrShape[2]))
    return emitError()
           << "instrShape must be the rows, the columns and the depth of an instruction, of which the first "
              "two are 16";
  if (failed(verifyTiles(emitError, rank, registerBases, warpBases)))
    return failure();
  return verifyBlockBases(emitError, blockBases, rank);
}

Attribute DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  unsigned operand = fields.integer("opIdx");
  Attribute parent = fields.attribute("parent");
  unsigned kWidth = fields.has("kWidth") ? fields.integer("kWidth") : 0;
  return fields ? parser.getChecked<DotOperandEncodingAttr>(parser.getContext(), operand, parent, kWidth) : Attribute();
}

void DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{opIdx = " << getOpIdx() << ", parent = " << getParent();
  if (getKWidth() != 0)
    printer << ", kWidth = " << getKWidth();
  printer << "}>";
}

LogicalResult DotOperandEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned opIdx,
                                             Attribute parent, unsigned kWidth) {
  if (opIdx > 1)
    return emitError() << "opIdx is " << opIdx << ", it must be 0 (A) or 1 (B)";
  if (!isa_and_nonnull<BlockedEncodingAttr, MatrixEncodingInterface>(parent))
    return emitError() << "the parent of a dot operand must be a blocked or a matrix encoding";
  if (isa<MatrixEncodingInterface>(parent) == (kWidth == 0))
    return emitError() << "kWidth belongs to operands of matrix units, and they need it";
  constexpr unsigned widest = 1024;
  if (kWidth != 0 && (!llvm::isPowerOf2_32(kWidth) || kWidth > widest))
    return emitError() << "kWidth must be a power of two of at most " << widest << ", not " << kWidth;
  return success();
}

/// The shape whose elements the bases reach; they must reach all of them.
static SmallVector<int32_t> shapeOfBases(std::initializer_list<llvm::ArrayRef<int32_t>> inputs, std::size_t rank) {
  SmallVector<int32_t> last(rank);
  for (llvm::ArrayRef<int32_t> bases : inputs)
    for (auto [i, component] : llvm::enumerate(bases))
      last[i % rank] |= component;
  return llvm::map_to_vector(last, [](int32_t coordinate) { return int32_t(uint32_t(coordinate) + 1); });
}

Attribute LinearEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser);
  SmallVector<int32_t> shape;
  if (fields.has("shape"))
    for (unsigned extent : fields.integers("shape"))
      shape.push_back(int32_t(extent));
  std::size_t rank = fields.has("shape") ? shape.size() : fields.rankOfBases("lane");
  auto registers = fields.bases("register", rank), lanes = fields.bases("lane", rank),
       warps = fields.bases("warp", rank), blocks = fields.bases("block", rank);
  if (!fields.has("shape"))
    shape = shapeOfBases({registers, lanes, warps, blocks}, rank);
  return fields ? parser.getChecked<LinearEncodingAttr>(parser.getContext(), shape, registers, lanes, warps, blocks)
                : Attribute();
}

void LinearEncodingAttr::print(AsmPrinter &printer) const {
  std::size_t rank = getShape().size();
  printer << "<{shape = [";
  llvm::interleaveComma(getShape(), printer);
  printer << "]";
  printer << ", ";
  printBases(printer, "register", getRegisterBases(), rank);
  printer << ", ";
  printBases(printer, "lane", getLaneBases(), rank);
  printer << ", ";
  printBases(printer, "warp", getWarpBases(), rank);
  printer << ", ";
  printBases(printer, "block", getBlockBases(), rank);
  printer << "}>";
}

LogicalResult LinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int32_t> shape,
                                         llvm::ArrayRef<int32_t> registers, llvm::ArrayRef<int32_t> lanes,
                                         llvm::ArrayRef<int32_t> warps, llvm::ArrayRef<int32_t> blocks) {
  if (!llvm::all_of(shape, [](int32_t extent) { return extent > 0 && llvm::isPowerOf2_32(uint32_t(extent)); }))
    return emitError() << "sizes must be powers of two";
  for (llvm::ArrayRef<int32_t> bases : {registers, lanes, warps, blocks})
    for (auto [i, component] : llvm::enumerate(bases))
      if (shape.empty() || component < 0 || component >= shape[i % shape.size()])
        return emitError() << "a basis has the component " << component << ", which is not inside the shape";
  layout::Input held{"held", {}};
  for (llvm::ArrayRef<int32_t> bases : {registers, lanes, warps, blocks})
    for (std::size_t i = 0; i < bases.size(); i += shape.size())
      held.bases.emplace_back(bases.slice(i, shape.size()));
  SmallVector<layout::Output> outputs;
  for (auto [dimension, extent] : llvm::enumerate(shape))
    outputs.push_back({layout::dimensionName(dimension), extent});
  if (layout::LinearLayout reached({held}, outputs); !reached.isSurjective())
    return emitError() << "the bases must reach each element of the shape, and reach one in "
                       << (uint64_t(1) << (reached.outputBits() - reached.rank()));
  return success();
}

} // namespace triton::ttg

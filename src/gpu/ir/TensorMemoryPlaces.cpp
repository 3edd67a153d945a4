// The source of the places is the PTX ISA, sections on tensor memory and on tcgen05.ld.
#include "gpu/ir/TensorMemoryPlaces.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/PartTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

using layout::Basis;
using layout::LinearLayout;

bool isTensorMemoryEncoding(Attribute encoding) {
  return isa_and_nonnull<foreign::TensorMemoryEncodingAttr, foreign::TensorMemoryScalesEncodingAttr>(encoding);
}

unsigned countBlocks(Attribute encoding) {
  auto matrix = dyn_cast<foreign::TensorMemoryEncodingAttr>(encoding);
  llvm::ArrayRef<int32_t> bases =
      matrix ? matrix.getBlockBases() : cast<foreign::TensorMemoryScalesEncodingAttr>(encoding).getBlockBases();
  constexpr std::size_t rank = 2;
  return 1u << bases.size() / rank;
}

namespace {

/// Gives the bits of the two dimensions their places, one after the other.
class PlaceList {
public:
  explicit PlaceList(llvm::ArrayRef<int64_t> shape) {
    for (unsigned dimension : {0u, 1u}) {
      extentBits[dimension] = llvm::Log2_64(uint64_t(shape[dimension]));
      dims[dimension].name = dimension == 0 ? "dim0" : "dim1";
    }
  }

  bool hasMore(unsigned dimension) const { return dims[dimension].bits() < extentBits[dimension]; }
  /// The place of the next bit of the dimension, if that has one.
  void add(unsigned dimension, int32_t lane, int32_t byte) {
    if (!hasMore(dimension))
      return;
    dims[dimension].bases.push_back(Basis{lane, byte});
    bytes = std::max(bytes, 2 * byte);
  }
  int32_t byteCount() const { return bytes; }

  LinearLayout finish(int32_t leastBytes) const {
    return LinearLayout({dims[0], dims[1]},
                        {{"lane", int32_t(tensorMemoryLanes)}, {"byte", std::max(bytes, leastBytes)}});
  }

private:
  layout::Input dims[2];
  unsigned extentBits[2];
  int32_t bytes = 1;
};

/// Of matrices in blocks. The blocks of a column of them come first.
LinearLayout placeMatrix(foreign::TensorMemoryEncodingAttr encoding, llvm::ArrayRef<int64_t> shape, int32_t bytes) {
  PlaceList places(shape);
  bool isFolded = encoding.getBlockM() == 64 && encoding.getTwoCTAs(), isHalf = encoding.getBlockM() == 64 && !isFolded;
  for (int32_t lane : {1, 2, 4, 8})
    places.add(0, lane, 0);
  if (!isHalf)
    places.add(0, 16, 0);
  places.add(0, 32, 0);
  if (!isFolded)
    places.add(0, 64, 0);
  int32_t step = bytes * int32_t(encoding.getColStride()), width = step * int32_t(encoding.getBlockN());
  if (isFolded)
    width /= 2;
  for (int32_t distance = step; distance < width; distance *= 2)
    places.add(1, 0, distance);
  if (isFolded) // of rows that a pair of blocks multiplies, the second half of the columns has the other lanes
    places.add(1, 64, 0);
  bool fillsLanes = isHalf; // of blocks of 64 rows, the second one gets the lanes that the first one leaves out
  for (unsigned dimension : {0u, 1u})
    while (places.hasMore(dimension)) {
      places.add(dimension, fillsLanes ? 16 : 0, fillsLanes ? 0 : width);
      width *= fillsLanes ? 1 : 2;
      fillsLanes = false;
    }
  return places.finish(width);
}

/// Of scales. Four of a row make a column; 32 rows have all lanes, of which each quarter holds a copy.
LinearLayout placeScales(llvm::ArrayRef<int64_t> shape) {
  PlaceList places(shape);
  for (int32_t lane : {1, 2, 4, 8, 16})
    places.add(0, lane, 0);
  for (int32_t byte : {1, 2})
    places.add(1, 0, byte);
  int32_t width = columnBytes;
  for (unsigned dimension : {0u, 1u})
    while (places.hasMore(dimension)) {
      places.add(dimension, 0, width);
      width *= 2;
    }
  return places.finish(width);
}

unsigned elementBytes(MemDescType buffer) { return buffer.getElementTypeBitWidth() / 8; }

} // namespace

LinearLayout getTensorMemoryPlaces(MemDescType buffer) {
  llvm::ArrayRef<int64_t> shape = buffer.getAllocShape().take_back(2);
  if (auto matrix = dyn_cast<foreign::TensorMemoryEncodingAttr>(buffer.getEncoding()))
    return placeMatrix(matrix, shape, int32_t(elementBytes(buffer)));
  return placeScales(shape);
}

unsigned countMatrixColumns(MemDescType buffer) {
  constexpr unsigned granule = 4; // columns
  unsigned bytes = unsigned(getTensorMemoryPlaces(buffer).outputSize("byte"));
  return unsigned(llvm::alignTo(llvm::divideCeil(bytes, columnBytes), granule));
}

uint64_t countTensorMemoryColumns(MemDescType buffer) {
  uint64_t columns = countMatrixColumns(buffer);
  for (int64_t count : buffer.getShape().drop_back(2))
    columns *= uint64_t(count);
  return columns;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

llvm::ArrayRef<TransferShape> transferShapes() {
  static constexpr TransferShape shapes[] = {
      {"32x32b", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, 0, 1},
      {"16x32bx2", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, TransferShape::anyColumn}}, {}, 0, 1},
      {"16x64b", {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}, {}, 0, 2},
      {"16x128b", {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {{8, 0}}, 1, 4},
      {"16x256b", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {8, 0}}, 2, 8},
  };
  return shapes;
}

TransferShape::Step stepOfRegister(const TransferShape &shape, unsigned bit) {
  return bit < shape.fixedBits ? shape.first[bit] : TransferShape::Step{0, shape.nextColumn << (bit - shape.fixedBits)};
}

namespace {

/// Takes the elements at places of a matrix one after the other.
class ElementList {
public:
  ElementList(const LinearLayout &places, llvm::ArrayRef<int64_t> shape) {
    for (unsigned dimension : {0u, 1u}) {
      const layout::Input &input = places.inputs()[dimension];
      for (unsigned bit = 0; bit < input.bits() && (int64_t(1) << bit) < shape[dimension]; ++bit) {
        Basis element{0, 0};
        element[dimension] = 1 << bit;
        left.push_back({input.bases[bit], element});
      }
    }
    llvm::sort(left, [](const auto &a, const auto &b) { return key(a.first) < key(b.first); });
  }

  /// Null if the matrix has none there.
  std::optional<Basis> take(int32_t lane, int32_t byte) {
    auto *found = llvm::find_if(left, [&](const auto &one) { return one.first == Basis{lane, byte}; });
    if (found == left.end())
      return std::nullopt;
    Basis element = found->second;
    left.erase(found);
    return element;
  }
  bool has(int32_t lane, int32_t byte) const {
    return llvm::any_of(left, [&](const auto &one) { return one.first == Basis{lane, byte}; });
  }
  /// The one in the last column, or else the last lane.
  std::optional<Basis> takeLast() { return left.empty() ? std::nullopt : std::optional(left.pop_back_val().second); }
  std::optional<Basis> takeFirst() {
    return left.empty() ? std::nullopt : take(left.front().first[0], left.front().first[1]);
  }

private:
  static std::pair<int32_t, int32_t> key(const Basis &place) { return {place[1], place[0]}; }

  SmallVector<std::pair<Basis, Basis>> left; ///< places and elements
};

/// Gives the bits of numbers of registers, threads and warps the elements that an instruction moves.
class TransferLayout {
public:
  TransferLayout(MemDescType buffer, std::string &obstacle)
      : shape(buffer.getShape()), elements(getTensorMemoryPlaces(buffer), shape), obstacle(obstacle),
        areScales(isa<foreign::TensorMemoryScalesEncodingAttr>(buffer.getEncoding())) {}

  Attribute find(MLIRContext *context, unsigned warps, llvm::StringRef name) {
    const TransferShape *transfer =
        llvm::find_if(transferShapes(), [&](const auto &each) { return each.name == name; });
    if (transfer == transferShapes().end() || name == "16x32bx2")
      return refuse("knows the instructions \"32x32b\", \"16x64b\", \"16x128b\" and \"16x256b\", not \"" + name + "\"");
    if (name == "32x32b" && !elements.has(16, 0)) // 16 of 32 lanes hold something
      ++transfer;
    for (int32_t byte = 1; byte < int32_t(columnBytes); byte *= 2) // elements that share a register
      if (std::optional<Basis> element = elements.take(0, byte))
        registers.bases.push_back(*element);
    for (int32_t lane : {32, 64}) {
      std::optional<Basis> element = areScales ? none : elements.take(lane, 0);
      if (!element)
        return refuse("needs all rows of a block, not a part of them: each of four warps reaches lanes of its own");
      group.bases.push_back(*element);
    }
    for (const TransferShape::Step &step : transfer->lanes)
      if (!add(lanes, step))
        return refuse("has no element for each thread with the instruction \"" + name + "\"; the matrix is too small");
    while (group.bits() < llvm::Log2_32(warps))
      group.bases.push_back(elements.takeLast().value_or(none));
    for (unsigned bit = 0; bit < transfer->fixedBits; ++bit)
      if (!add(registers, stepOfRegister(*transfer, bit)))
        return refuse("has no element for each register of the instruction \"" + name + "\"; the matrix is too small");
    addOthers();
    return LinearEncodingAttr::get(context, LinearLayout({registers, lanes, group, {"block", {}}},
                                                         {{"dim0", int32_t(shape[0])}, {"dim1", int32_t(shape[1])}}));
  }

private:
  Attribute refuse(const llvm::Twine &reason) {
    obstacle = reason.str();
    return {};
  }

  bool add(layout::Input &input, const TransferShape::Step &step) {
    std::optional<Basis> element = step.column == TransferShape::anyColumn
                                       ? elements.takeLast()
                                       : elements.take(step.lane, step.column * int32_t(columnBytes));
    if (element)
      input.bases.push_back(*element);
    return element.has_value();
  }

  /// Columns come before lanes, which other instructions move.
  void addOthers() {
    SmallVector<Basis> ofLanes;
    for (int32_t lane : {1, 2, 4, 8, 16})
      if (std::optional<Basis> element = elements.take(lane, 0))
        ofLanes.push_back(*element);
    while (std::optional<Basis> element = elements.takeFirst())
      registers.bases.push_back(*element);
    llvm::append_range(registers.bases, ofLanes);
  }

  const Basis none{0, 0};
  llvm::ArrayRef<int64_t> shape;
  ElementList elements;
  std::string &obstacle;
  bool areScales;
  layout::Input registers{"register", {}}, lanes{"lane", {}}, group{"warp", {}};
};

} // namespace

/// The layout of all blocks of a cluster from that of one, which has a part of the buffer.
static Attribute ofAllBlocks(LinearEncodingAttr part, MemDescType buffer) {
  LinearLayout own = part.getLayout();
  SmallVector<layout::Input> inputs(own.inputs());
  SmallVector<layout::Output> outputs(own.outputs());
  for (const Basis &basis : getPartBases(buffer))
    inputs.back().bases.push_back(basis);
  for (auto [output, extent] : llvm::zip_equal(outputs, buffer.getShape()))
    output.size = int32_t(extent);
  return LinearEncodingAttr::get(part.getContext(), LinearLayout(inputs, outputs));
}

Attribute findTransferLayout(MemDescType buffer, unsigned warps, llvm::StringRef shape, std::string &obstacle) {
  if (buffer.getRank() != 2)
    obstacle = "takes one matrix, not several; `index` gives one";
  else if (warps < 4 || !llvm::isPowerOf2_32(warps))
    obstacle = "needs a power of two of at least 4 warps, not " + std::to_string(warps);
  else if (auto part = cast<MemDescType>(getPartType(buffer));
           Attribute layout = TransferLayout(part, obstacle).find(buffer.getContext(), warps, shape))
    return part == buffer ? layout : ofAllBlocks(cast<LinearEncodingAttr>(layout), buffer);
  return {};
}

} // namespace triton::ttg

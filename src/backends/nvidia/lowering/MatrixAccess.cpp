// ldmatrix and stmatrix: loads and stores of 8 x 8 matrices of 16 bits by a whole warp.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

#include "gpu/lowering/LayoutEmission.h"

using namespace mlir;

namespace triton::nvidia {

using gpu::IndexMap;

namespace {

/// How one instruction uses the bits of (register, lane). A matrix has eight rows of 16 bytes; an address gives the
/// place of each row.
struct MatrixTile {
  bool isTransposed = false;
  SmallVector<unsigned> elementBits; ///< register bits within a 32-bit word
  SmallVector<int32_t> rowOffsets;   ///< bytes from row to row, by the bit of the row's number
  SmallVector<unsigned> matrixBits;  ///< register bits that count matrices of one instruction, at most two
};

/// The register bits whose offsets are `steps` bytes, in that order.
std::optional<SmallVector<unsigned>> findRegisterBits(const IndexMap &bytes, llvm::ArrayRef<int32_t> steps) {
  SmallVector<unsigned> bits;
  for (int32_t step : steps) {
    auto *found = llvm::find(bytes.registers, step);
    if (found == bytes.registers.end())
      return std::nullopt;
    bits.push_back(unsigned(found - bytes.registers.begin()));
  }
  return bits;
}

bool isRowOffset(int32_t offset) { return offset % 16 == 0; }

/// Without transposition: a lane's word is a part of a row, which consists of the lane's low two bits and the bits of a
/// word. The other lane bits count rows.
std::optional<MatrixTile> matchPlain(const IndexMap &bytes, unsigned elementBytes) {
  if (bytes.lanes[0] != 4 || bytes.lanes[1] != 8 || !llvm::all_of(llvm::drop_begin(bytes.lanes, 2), isRowOffset))
    return std::nullopt;
  SmallVector<int32_t> steps;
  for (unsigned step = elementBytes; step < 4; step *= 2)
    steps.push_back(int32_t(step));
  std::optional<SmallVector<unsigned>> words = findRegisterBits(bytes, steps);
  if (!words)
    return std::nullopt;
  return MatrixTile{false, *words, SmallVector<int32_t>(llvm::drop_begin(bytes.lanes, 2)), {}};
}

/// With transposition, for 16-bit elements: the high three lane bits make up a row. The pair in a word and the low lane
/// bits count rows.
std::optional<MatrixTile> matchTransposed(const IndexMap &bytes, unsigned elementBytes) {
  if (elementBytes != 2 || bytes.lanes[2] != 2 || bytes.lanes[3] != 4 || bytes.lanes[4] != 8 ||
      !isRowOffset(bytes.lanes[0]) || !isRowOffset(bytes.lanes[1]) || bytes.registers.empty() ||
      !isRowOffset(bytes.registers[0]) || bytes.registers[0] == 0)
    return std::nullopt;
  return MatrixTile{true, {0}, {bytes.registers[0], bytes.lanes[0], bytes.lanes[1]}, {}};
}

class MatrixAccess {
public:
  MatrixAccess(Emitter &emitter, Value base, IndexMap bytes, MatrixTile tile, Type element)
      : emitter(emitter), base(base), bytes(std::move(bytes)), tile(std::move(tile)), element(element) {}

  Registers load() {
    Registers registers(std::size_t(1) << bytes.registers.size());
    forEachInstruction([&](Value address, unsigned first) {
      for (auto [matrix, word] : llvm::enumerate(emitLoad(address)))
        for (auto [position, value] : llvm::enumerate(unpackWord(word)))
          registers[indexOf(first, unsigned(matrix), unsigned(position))] = value;
    });
    return registers;
  }

  void store(ValueRange registers) {
    forEachInstruction([&](Value address, unsigned first) {
      Registers arguments{address};
      for (unsigned matrix = 0; matrix < 1u << tile.matrixBits.size(); ++matrix) {
        Registers values;
        for (unsigned position = 0; position < 1u << tile.elementBits.size(); ++position)
          values.push_back(registers[indexOf(first, matrix, position)]);
        arguments.push_back(packWord(values));
      }
      emitter.intrinsic(instructionName("stmatrix"), {}, arguments);
    });
  }

private:
  /// Calls `body` with the lanes' addresses and the first register of each instruction.
  void forEachInstruction(llvm::function_ref<void(Value, unsigned)> body) {
    // The lanes' addresses: the low three bits of the lane number the row, the others the matrix.
    IndexMap rows = bytes;
    llvm::fill(rows.lanes, 0);
    llvm::copy(tile.rowOffsets, rows.lanes.begin());
    for (auto [position, bit] : llvm::enumerate(tile.matrixBits))
      rows.lanes[3 + position] = bytes.registers[bit];
    Value threadPart = rows.emitThreadPart(emitter);
    unsigned covered = 0;
    for (unsigned bit : llvm::concat<const unsigned>(tile.elementBits, tile.matrixBits))
      covered |= 1u << bit;
    llvm::DenseMap<int32_t, Value> starts; // by what the registers' part flips of the thread's bits
    for (unsigned first = 0; first < 1u << bytes.registers.size(); ++first) {
      if (first & covered)
        continue;
      int32_t constant = bytes.ofRegister(first), flipped = constant & rows.threadBits();
      Value &start = starts[flipped];
      if (!start)
        start = emitter.offsetPointer(base, emitter.bitXor(threadPart, emitter.i32(flipped)));
      body(emitter.offsetPointer(start, constant & ~rows.threadBits()), first);
    }
  }

  unsigned indexOf(unsigned first, unsigned matrix, unsigned position) const {
    return first | spread(matrix, tile.matrixBits) | spread(position, tile.elementBits);
  }

  static unsigned spread(unsigned index, llvm::ArrayRef<unsigned> bits) {
    unsigned result = 0;
    for (auto [position, bit] : llvm::enumerate(bits))
      result |= (index >> position & 1) << bit;
    return result;
  }

  std::string instructionName(llvm::StringRef mnemonic) const {
    return ("nvvm." + mnemonic + ".sync.aligned.m8n8.x" + llvm::Twine(1u << tile.matrixBits.size()) +
            (tile.isTransposed ? ".trans" : "") + ".b16.p3")
        .str();
  }

  Registers emitLoad(Value address) {
    unsigned count = 1u << tile.matrixBits.size();
    std::string name = instructionName("ldmatrix");
    Type word = emitter.b.getI32Type();
    if (count == 1)
      return {emitter.intrinsic(name, word, address)};
    Type words = LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(count, word));
    return emitter.unpack(emitter.intrinsic(name, words, address));
  }

  Registers unpackWord(Value word) {
    int64_t count = int64_t(1) << tile.elementBits.size();
    Type stored = gpu::memoryType(element);
    if (count == 1)
      return {stored.isInteger(32) ? word : LLVM::BitcastOp::create(emitter.b, stored, word).getResult()};
    return emitter.unpackVector(LLVM::BitcastOp::create(emitter.b, VectorType::get(count, stored), word));
  }

  Value packWord(ValueRange values) {
    Type word = emitter.b.getI32Type();
    Value packed = emitter.packVector(values);
    return packed.getType() == word ? packed : LLVM::BitcastOp::create(emitter.b, word, packed).getResult();
  }

  Emitter &emitter;
  Value base;
  IndexMap bytes;
  MatrixTile tile;
  Type element;
};

/// How matrices move between registers and `base`, where `offsets` maps (register, lane, warp) to elements; none where
/// the elements do not lie so.
std::optional<MatrixAccess> findMatrixAccess(Emitter &emitter, Value base, const LinearLayout &offsets, Type element) {
  unsigned elementBytes = gpu::memoryBytes(element);
  if (elementBytes > 4 || isa<LLVM::LLVMPointerType>(element) || element.isInteger(1))
    return std::nullopt;
  IndexMap bytes(offsets, 0);
  for (SmallVector<int32_t> *bases : {&bytes.registers, &bytes.lanes, &bytes.warps})
    for (int32_t &basis : *bases)
      basis *= int32_t(elementBytes);
  if (bytes.lanes.size() != 5)
    return std::nullopt;
  std::optional<MatrixTile> tile = matchPlain(bytes, elementBytes);
  if (!tile)
    tile = matchTransposed(bytes, elementBytes);
  if (!tile || !llvm::all_of(bytes.warps, isRowOffset))
    return std::nullopt;
  for (auto [bit, basis] : llvm::enumerate(bytes.registers)) {
    if (llvm::is_contained(tile->elementBits, bit))
      continue;
    if (!isRowOffset(basis))
      return std::nullopt;
    if (tile->matrixBits.size() < 2)
      tile->matrixBits.push_back(unsigned(bit));
  }
  return MatrixAccess(emitter, base, std::move(bytes), std::move(*tile), element);
}

} // namespace

std::optional<Registers> NvidiaEmitter::emitMatrixLoad(Emitter &emitter, Value base, const LinearLayout &offsets,
                                                       Type element) const {
  if (!emitter.machine().readsMatrices)
    return std::nullopt;
  std::optional<MatrixAccess> access = findMatrixAccess(emitter, base, offsets, element);
  return access ? std::optional(access->load()) : std::nullopt;
}

bool NvidiaEmitter::emitMatrixStore(Emitter &emitter, Value base, const LinearLayout &offsets,
                                    ValueRange registers) const {
  if (!emitter.machine().writesMatrices)
    return false;
  std::optional<MatrixAccess> access = findMatrixAccess(emitter, base, offsets, registers.front().getType());
  if (access)
    access->store(registers);
  return access.has_value();
}

} // namespace triton::nvidia

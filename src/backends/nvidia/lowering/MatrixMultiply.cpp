// mma.sync. The source of the instructions and their fragments is the PTX ISA, section on warp-level matrix
// instructions.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/LayoutEmission.h"

#include <map>

using namespace mlir;

namespace triton::nvidia {

using gpu::Coordinates;
using gpu::RegisterLookup;

namespace {

/// An instruction of shape 16 x 8 x K whose words contain `perWord` elements of K. It takes four words of A (rows 0 and
/// 8, first and second half of K) and two of B.
struct Instruction {
  llvm::StringRef name; ///< of the intrinsic, after `llvm.nvvm.mma.`
  unsigned perWord;     ///< elements of an operand in a register of the instruction
  enum class Word { HalfPair, Bits32, Double } word;
  bool packsAccumulators = false; ///< f16 accumulators come in pairs
  bool isHalfDepth = false;       ///< takes only the first half of K: two of A's words and one of B's
};

/// The instruction for operands of `element` and an accumulator of `sum`. Operands of 8-bit floats are computed as f16.
std::optional<Instruction> findInstruction(Type element, Type sum, unsigned capability) {
  using Word = Instruction::Word;
  bool isByteFloat = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  if (capability < 80) { // their only instruction
    if (!element.isF16() && !isByteFloat)
      return std::nullopt;
    if (sum.isF32())
      return Instruction{"m16n8k8.row.col.f32.f32", 2, Word::HalfPair, false, true};
    return Instruction{"m16n8k8.row.col.f16.f16", 2, Word::HalfPair, true, true};
  }
  if ((element.isF16() || isByteFloat) && sum.isF32())
    return Instruction{"m16n8k16.row.col.f32.f32", 2, Word::HalfPair};
  if ((element.isF16() || isByteFloat) && sum.isF16())
    return Instruction{"m16n8k16.row.col.f16.f16", 2, Word::HalfPair, true};
  if (element.isBF16() && sum.isF32())
    return Instruction{"m16n8k16.row.col.bf16", 2, Word::Bits32};
  if (element.isF32() && sum.isF32())
    return Instruction{"m16n8k8.row.col.tf32", 1, Word::Bits32};
  if (element.isInteger(8) && sum.isInteger(32))
    return Instruction{"m16n8k32.row.col.s8", 4, Word::Bits32};
  if (element.isF64() && sum.isF64())
    return Instruction{capability >= 90 ? "m16n8k8.row.col.f64" : "m8n8k4.row.col.f64", 1, Word::Double};
  return std::nullopt;
}

} // namespace

Value roundToTensorFloat(Emitter &emitter, Value value, unsigned capability) {
  Type word = emitter.b.getI32Type();
  if (capability >= 90)
    return emitter.intrinsic("nvvm.f2tf32.rn", word, value);
  Value isNaN = LLVM::FCmpOp::create(emitter.b, LLVM::FCmpPredicate::uno, value, value);
  return emitter.select(isNaN, emitter.i32(0x7fffe000), emitter.intrinsic("nvvm.f2tf32.rna", word, value));
}

namespace {

class MatrixMultiply {
public:
  MatrixMultiply(tt::DotOp op, Emitter &emitter, Instruction instruction, unsigned capability)
      : op(op), emitter(emitter), instruction(instruction), capability(capability),
        resultType(cast<RankedTensorType>(op.getType())), leftType(cast<RankedTensorType>(op.getA().getType())),
        rightType(cast<RankedTensorType>(op.getB().getType())), result(emitter.layoutOf(resultType)),
        left(emitter.layoutOf(leftType)), right(emitter.layoutOf(rightType)),
        width(int32_t(cast<ttg::DotOperandEncodingAttr>(leftType.getEncoding()).getKWidth())) {}

  LogicalResult run() {
    Registers sums(emitter.registers(op.getC()));
    const LinearLayout &layout = emitter.layoutOf(resultType);
    auto depth = int32_t(leftType.getShape().back());
    int32_t nativeWidth = int32_t(instruction.perWord);
    // K is the outer loop, so that consecutive instructions do not wait for each other's accumulators.
    SmallVector<Tile> tiles = findTiles(layout);
    for (int32_t k = 0; k < depth; k += 8 * width)
      for (int32_t step = 0; step < width; step += nativeWidth)
        for (const Tile &tile : tiles)
          if (failed(multiplyTile(tile, k + step, sums)))
            return failure();
    emitter.define(op.getD(), std::move(sums));
    return success();
  }

private:
  /// The four accumulator registers of a 16 x 8 tile: rows 0 and 8, columns 0 and 1.
  struct Tile {
    Coordinates at;
    std::array<unsigned, 4> registers;
  };

  SmallVector<Tile> findTiles(const LinearLayout &layout) const {
    SmallVector<Tile> tiles;
    for (int32_t index = 0; index < layout.inputSize("register"); ++index) {
      Coordinates at = gpu::registerCoordinates(layout, unsigned(index));
      std::size_t rank = at.size();
      if (at[rank - 2] % 16 != 0 || at[rank - 1] % 8 != 0)
        continue;
      Tile tile{at, {}};
      for (unsigned corner = 0; corner < 4; ++corner) {
        Coordinates place = at;
        place[rank - 2] += corner & 2 ? 8 : 0;
        place[rank - 1] += int32_t(corner & 1);
        // A tensor of fewer rows holds copies, so the upper half equals the lower one.
        std::optional<unsigned> found =
            place[rank - 2] < resultType.getShape()[rank - 2] ? result.find(place) : std::nullopt;
        tile.registers[corner] = found ? *found : tile.registers[corner & 1];
      }
      tiles.push_back(tile);
    }
    return tiles;
  }

  LogicalResult multiplyTile(const Tile &tile, int32_t k, Registers &sums) {
    std::size_t rank = tile.at.size();
    Registers operands;
    for (unsigned part = 0; part < 4; ++part) {
      Coordinates at = tile.at;
      at[rank - 2] += part & 1 ? 8 : 0;
      at[rank - 1] = k + (part & 2 ? 4 * width : 0);
      operands.push_back(word(left, op.getA(), leftType, at, rank - 1));
    }
    for (unsigned part = 0; part < 2; ++part) {
      Coordinates at = tile.at;
      at[rank - 2] = k + (part & 1 ? 4 * width : 0);
      operands.push_back(word(right, op.getB(), rightType, at, rank - 2));
    }
    if (llvm::is_contained(operands, Value()))
      return op.emitError() << "operands of the layouts " << leftType << " and " << rightType
                            << " are not the fragments that " << resultType << " needs";
    Registers accumulators;
    for (unsigned index : tile.registers)
      accumulators.push_back(sums[index]);
    Registers results = multiply(operands, accumulators);
    for (auto [index, value] : llvm::zip_equal(tile.registers, results))
      sums[index] = value;
    return success();
  }

  /// The register of the instruction whose first element is at `at`; the other elements follow along K. Null when not
  /// all of them are in this thread's registers; zeros beyond the end of K or the rows.
  Value word(const RegisterLookup &lookup, Value operand, RankedTensorType type, const Coordinates &at,
             std::size_t kDimension) {
    Registers elements;
    for (int32_t i = 0; i < int32_t(instruction.perWord); ++i) {
      Coordinates place = at;
      place[kDimension] += i;
      for (auto [coordinate, extent] : llvm::zip_equal(place, type.getShape()))
        if (coordinate >= extent)
          coordinate &= int32_t(extent) - 1; // the tensor holds copies if it is smaller than the tile
      std::optional<unsigned> found = lookup.find(place);
      if (!found)
        return {};
      elements.push_back(emitter.registers(operand)[*found]);
    }
    if (at[kDimension] >= type.getShape()[kDimension])
      for (Value &element : elements)
        element = zero(element.getType());
    Value &known = words[elements];
    return known ? known : known = pack(elements, type.getElementType());
  }

  Value zero(Type type) { return isa<IntegerType>(type) ? emitter.integer(type, 0) : emitter.floating(type, 0); }

  Value pack(const Registers &elements, Type element) {
    auto &b = emitter.b;
    switch (instruction.word) {
    case Instruction::Word::Double:
      return elements.front();
    case Instruction::Word::HalfPair: {
      Registers halves;
      for (Value value : elements)
        halves.push_back(
            gpu::convertFloat(emitter, value, cast<FloatType>(element), Float16Type::get(emitter.context())));
      return emitter.packVector(halves);
    }
    case Instruction::Word::Bits32:
      if (element.isF32())
        return roundToTensorFloat(emitter, elements.front(), capability);
      return LLVM::BitcastOp::create(b, b.getI32Type(), emitter.packVector(elements));
    }
    llvm_unreachable("every kind is handled above");
  }

  Registers multiply(const Registers &operands, const Registers &accumulators) {
    if (instruction.word == Instruction::Word::Double && capability < 90)
      return multiplyDoubleQuarters(operands, accumulators);
    if (!instruction.isHalfDepth)
      return multiplyOnce(operands, accumulators);
    Registers first = multiplyOnce({operands[0], operands[1], operands[4]}, accumulators);
    return multiplyOnce({operands[2], operands[3], operands[5]}, first);
  }

  Registers multiplyOnce(const Registers &operands, const Registers &accumulators) {
    Registers arguments = operands;
    if (instruction.packsAccumulators) {
      arguments.push_back(emitter.packVector({accumulators[0], accumulators[1]}));
      arguments.push_back(emitter.packVector({accumulators[2], accumulators[3]}));
    } else {
      arguments.append(accumulators);
    }
    Registers results = call(arguments, instruction.packsAccumulators ? 2 : 4);
    if (!instruction.packsAccumulators)
      return results;
    Registers unpacked = emitter.unpackVector(results[0]);
    unpacked.append(emitter.unpackVector(results[1]));
    return unpacked;
  }

  Registers call(ValueRange arguments, unsigned resultCount) {
    Type type = arguments.back().getType();
    Type results = LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(resultCount, type));
    return emitter.unpack(emitter.intrinsic(("nvvm.mma." + instruction.name).str(), results, arguments));
  }

  /// Before sm_90, the only f64 shape is 8 x 8 x 4: two row halves, each with two steps along K.
  Registers multiplyDoubleQuarters(const Registers &operands, const Registers &accumulators) {
    Registers results;
    for (std::size_t half = 0; half < 2; ++half) {
      Registers sums{accumulators[2 * half], accumulators[2 * half + 1]};
      for (std::size_t step = 0; step < 2; ++step)
        sums = call({operands[half + 2 * step], operands[4 + step], sums[0], sums[1]}, 2);
      results.append(sums);
    }
    return results;
  }

  tt::DotOp op;
  Emitter &emitter;
  Instruction instruction;
  unsigned capability;
  RankedTensorType resultType, leftType, rightType;
  RegisterLookup result, left, right;
  int32_t width; ///< consecutive elements of K in a thread
  std::map<Registers, Value, bool (*)(const Registers &, const Registers &)> words{
      [](const Registers &a, const Registers &b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](Value x, Value y) {
          return x.getAsOpaquePointer() < y.getAsOpaquePointer();
        });
      }};
};

} // namespace

LogicalResult NvidiaEmitter::lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const {
  Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
  Type sum = cast<RankedTensorType>(op.getType()).getElementType();
  std::optional<Instruction> instruction = findInstruction(element, sum, capability);
  auto encoding = dyn_cast<ttg::DotOperandEncodingAttr>(cast<RankedTensorType>(op.getA().getType()).getEncoding());
  if (!instruction || !encoding || encoding.getKWidth() < instruction->perWord)
    return op.emitError() << "not supported on " << emitter.machine().name << ": no matrix instruction multiplies "
                          << op.getA().getType() << " by " << op.getB().getType() << " into " << op.getType();
  return MatrixMultiply(op, emitter, *instruction, capability).run();
}

} // namespace triton::nvidia

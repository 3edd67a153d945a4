// Matrix products by v_mfma and v_wmma. The first operand of an instruction has the rows of its result. A thread holds
// neighbours of a column, so that for a transposed layout the operands are exchanged.
#include "backends/amd/lowering/AmdEmitter.h"
#include "backends/amd/lowering/MatrixInstructions.h"

#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/LayoutEmission.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace triton::amd {

using gpu::Coordinates;
using gpu::RegisterLookup;

namespace {

/// What the layout of a result says of the instruction.
struct ResultLayout {
  unsigned extent = 0, depth = 0; ///< a depth of 0 is any
  bool isTransposed = false;

  explicit ResultLayout(Attribute encoding) {
    if (auto mfma = dyn_cast<ttg::AmdMfmaEncodingAttr>(encoding)) {
      extent = mfma.getInstrShape()[0];
      depth = mfma.getInstrShape().size() == 3 ? mfma.getInstrShape()[2] : 0;
      isTransposed = mfma.getIsTransposed();
    } else if (auto wmma = dyn_cast<ttg::AmdWmmaEncodingAttr>(encoding)) {
      extent = wmma.getInstrShape()[0];
      depth = wmma.getInstrShape()[2];
      isTransposed = wmma.getIsTransposed();
    }
  }
};

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

class MatrixMultiply {
public:
  MatrixMultiply(tt::DotOp op, Emitter &emitter, const Architecture &architecture, const MatrixInstruction &instruction,
                 bool isTransposed, std::array<MatrixElement, 2> elements)
      : op(op), emitter(emitter), architecture(architecture), instruction(instruction), isTransposed(isTransposed),
        elements(elements), left(emitter.layoutOf(typeOf(op.getA()))), right(emitter.layoutOf(typeOf(op.getB()))),
        width(cast<ttg::DotOperandEncodingAttr>(typeOf(op.getA()).getEncoding()).getKWidth()) {
    Type element = typeOf(op.getD()).getElementType();
    sum = element.isF16() || element.isBF16() ? Type(emitter.b.getF32Type()) : element;
  }

  LogicalResult run() {
    Registers sums = widen(emitter.registers(op.getC()));
    unsigned depth = unsigned(typeOf(op.getA()).getShape().back());
    unsigned inLane = depth / instruction.groups();
    SmallVector<Tile> tiles = findTiles();
    // K is the outer loop, so that consecutive instructions do not wait for each other's results.
    for (unsigned first = 0; first < inLane; first += instruction.elements)
      for (const Tile &tile : tiles)
        if (failed(multiplyTile(tile, first, sums)))
          return failure();
    emitter.define(op.getD(), narrow(sums));
    return success();
  }

private:
  /// The registers of a result of the instruction, and the coordinates of the first.
  struct Tile {
    Coordinates at;
    SmallVector<unsigned> registers;
  };

  /// f16 and bf16 results are summed in f32.
  Registers widen(ValueRange values) const {
    Registers wide(values);
    for (Value &value : wide)
      if (value.getType() != sum)
        value = LLVM::FPExtOp::create(emitter.b, sum, value);
    return wide;
  }

  Registers narrow(const Registers &values) {
    Registers results(values);
    Type element = emitter.convertElement(typeOf(op.getD()).getElementType());
    for (Value &value : results)
      if (value.getType() != element)
        value = LLVM::FPTruncOp::create(emitter.b, element, value);
    return results;
  }

  /// The distance of a thread's result number `slot` from its first, along the dimension of neighbours.
  unsigned slotOffset(unsigned slot) const {
    unsigned lanes = architecture.lanes;
    if (architecture.isRdna())
      return architecture.generation == 11 ? 2 * slot : slot;
    unsigned laneGroups = lanes / instruction.extent;
    return sum.isF64() ? laneGroups * slot : 4 * laneGroups * (slot / 4) + slot % 4;
  }

  SmallVector<Tile> findTiles() {
    const LinearLayout &layout = emitter.layoutOf(typeOf(op.getD()));
    RegisterLookup result(layout);
    SmallVector<Tile> tiles;
    for (int32_t index = 0; index < layout.inputSize("register"); ++index) {
      Coordinates at = gpu::registerCoordinates(layout, unsigned(index));
      std::size_t rank = at.size(), along = isTransposed ? rank - 1 : rank - 2;
      if (at[rank - 2] % int32_t(instruction.extent) != 0 || at[rank - 1] % int32_t(instruction.extent) != 0)
        continue;
      Tile tile{at, {}};
      for (unsigned slot = 0; slot < instruction.results(architecture.lanes); ++slot) {
        Coordinates place = at;
        place[along] += int32_t(slotOffset(slot));
        tile.registers.push_back(*result.find(place));
      }
      tiles.push_back(tile);
    }
    return tiles;
  }

  LogicalResult multiplyTile(const Tile &tile, unsigned first, Registers &sums) {
    std::size_t rank = tile.at.size();
    Value a = pack(left, op.getA(), tile.at, rank - 1, first, 0),
          b = pack(right, op.getB(), tile.at, rank - 2, first, 1);
    if (!a || !b)
      return op.emitError() << "operands of the layouts " << op.getA().getType() << " and " << op.getB().getType()
                            << " are not the fragments that " << op.getType() << " needs";
    Registers accumulators;
    for (unsigned index : tile.registers)
      accumulators.push_back(sums[index]);
    Value result = isTransposed ? multiply(b, a, elements[1], elements[0], emitter.packVector(accumulators))
                                : multiply(a, b, elements[0], elements[1], emitter.packVector(accumulators));
    for (auto [index, value] : llvm::zip_equal(tile.registers, emitter.unpackVector(result)))
      sums[index] = value;
    return success();
  }

  /// The elements of a lane for one instruction, from its element number `first` along K on; null when they are not in
  /// this thread's registers.
  Value pack(const RegisterLookup &lookup, Value operand, Coordinates at, std::size_t kDimension, unsigned first,
             unsigned number) {
    SmallVector<unsigned> indices;
    for (unsigned element = first; element < first + instruction.elements; ++element) {
      at[kDimension] = int32_t(element / width * width * instruction.groups() + element % width);
      std::optional<unsigned> found = lookup.find(at);
      if (!found)
        return {};
      indices.push_back(*found);
    }
    Value &known = packed[number][indices];
    if (!known) {
      Registers values;
      for (unsigned index : indices) {
        Value value = emitter.registers(operand)[index];
        values.push_back(instruction.element == MatrixElement::Tf32 ? roundToTensorFloat(value) : value);
      }
      known = toForm(values);
    }
    return known;
  }

  /// The unit cuts operands off after 10 fraction bits. Rounding first halves the error, and NaN whose payload is in
  /// the other bits would become infinite.
  Value roundToTensorFloat(Value value) {
    auto &b = emitter.b;
    constexpr unsigned dropped = 13;
    Value code = LLVM::BitcastOp::create(b, b.getI32Type(), value);
    Value odd = emitter.bitAnd(emitter.shiftRight(code, dropped), 1);
    Value rounded = emitter.add(emitter.add(code, odd), emitter.i32((1 << (dropped - 1)) - 1));
    Value isNaN = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, value, value);
    Value kept = emitter.select(isNaN, emitter.i32(0x7fffe000), emitter.bitAnd(rounded, -(int64_t(1) << dropped)));
    return LLVM::BitcastOp::create(b, value.getType(), kept);
  }

  Value toForm(const Registers &values) {
    auto &b = emitter.b;
    Value vector = emitter.packVector(values);
    unsigned bits = values.front().getType().getIntOrFloatBitWidth() * unsigned(values.size());
    switch (instruction.form) {
    case OperandForm::Scalar:
    case OperandForm::Vector:
      return vector;
    case OperandForm::Bits16:
      return LLVM::BitcastOp::create(b, VectorType::get(bits / 16, b.getI16Type()), vector);
    case OperandForm::Word:
      return LLVM::BitcastOp::create(b, b.getIntegerType(bits), vector);
    case OperandForm::Bits32:
      return LLVM::BitcastOp::create(b, VectorType::get(bits / 32, b.getI32Type()), vector);
    }
    llvm_unreachable("every form is handled above");
  }

  Value multiply(Value first, Value second, MatrixElement firstElement, MatrixElement secondElement,
                 Value accumulator) {
    auto isWide = [](MatrixElement element) { return element == MatrixElement::Float8E5; };
    auto format = [&](MatrixElement element) { return isWide(element) ? "bf8" : "fp8"; };
    std::string name = llvm::formatv(false, instruction.name, format(firstElement), format(secondElement)).str();
    Value zero = emitter.i32(0), no = emitter.i1(false), yes = emitter.i1(true);
    if (llvm::StringRef(name).starts_with("mfma.scale")) // Without scales, their constants are 0.
      return emitter.intrinsic("amdgcn." + name, accumulator.getType(),
                               {first, second, accumulator, emitter.i32(isWide(firstElement)),
                                emitter.i32(isWide(secondElement)), zero, zero, zero, zero});
    if (!architecture.isRdna())
      return emitter.intrinsic("amdgcn." + name, accumulator.getType(), {first, second, accumulator, zero, zero, zero});
    if (instruction.element == MatrixElement::Byte) // signed operands, and sums that wrap
      return emitter.intrinsic("amdgcn." + name, accumulator.getType(), {yes, first, yes, second, accumulator, no});
    return emitter.intrinsic("amdgcn." + name, accumulator.getType(), {first, second, accumulator});
  }

  tt::DotOp op;
  Emitter &emitter;
  const Architecture &architecture;
  const MatrixInstruction &instruction;
  bool isTransposed;
  std::array<MatrixElement, 2> elements;
  RegisterLookup left, right;
  unsigned width; ///< consecutive elements of K in a thread
  Type sum;
  std::map<SmallVector<unsigned>, Value> packed[2]; ///< operands by their registers
};

} // namespace

LogicalResult AmdEmitter::lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const {
  ResultLayout layout(typeOf(op.getD()).getEncoding());
  bool isTf32 = op.getInputPrecision() == tt::InputPrecision::TF32;
  std::optional<MatrixElement> left = findMatrixElement(architecture, typeOf(op.getA()).getElementType(), isTf32),
                               right = findMatrixElement(architecture, typeOf(op.getB()).getElementType(), isTf32);
  std::optional<MatrixInstruction> instruction;
  if (left && right)
    instruction = findMatrixInstruction(architecture, *left, layout.extent, layout.depth);
  auto operand = dyn_cast<ttg::DotOperandEncodingAttr>(typeOf(op.getA()).getEncoding());
  if (!instruction || !operand || operand.getKWidth() == 0)
    return op.emitError() << "no matrix instruction multiplies " << op.getA().getType() << " by " << op.getB().getType()
                          << " into " << op.getType();
  return MatrixMultiply(op, emitter, architecture, *instruction, layout.isTransposed, {*left, *right}).run();
}

} // namespace triton::amd

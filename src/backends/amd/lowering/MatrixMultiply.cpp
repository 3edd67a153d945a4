// Matrix products by v_mfma and v_wmma. The first operand of an instruction has the rows of its result. A thread holds
// neighbours of a column, so that for a transposed layout the operands are exchanged.
#include "backends/amd/lowering/AmdEmitter.h"
#include "backends/amd/lowering/MatrixInstructions.h"

#include "gpu/lowering/DotOperands.h"
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

/// One of the two factors of a product.
struct Factor {
  Value operand;
  MatrixElement element;
  RegisterLookup lookup;
  Value scale; ///< null: 1
  std::optional<RegisterLookup> scales;
  std::map<SmallVector<unsigned>, Value> packed; ///< operands of instructions by their registers
  Registers scaleWords;                          ///< four scales each

  Factor(Emitter &emitter, Value operand, MatrixElement element, Value scale)
      : operand(operand), element(element), lookup(emitter.layoutOf(typeOf(operand))), scale(scale) {
    if (scale)
      scales.emplace(emitter.layoutOf(typeOf(scale)));
  }

  /// Elements that share a register.
  unsigned packing() const { return element == MatrixElement::Float4 ? 2 : 1; }
};

/// A factor of one instruction.
struct Fragment {
  Value values;
  MatrixElement element;
  Value scale; ///< an i32
  unsigned scaleByte = 0;
  unsigned scaleHalf = 0; ///< of a warp, which holds the scales
};

constexpr unsigned wordScales = 4; ///< scales of a register that the unit reads

class MatrixMultiply {
public:
  MatrixMultiply(Operation *op, Factor left, Factor right, Emitter &emitter, const Architecture &architecture,
                 const MatrixInstruction &instruction, bool isTransposed)
      : op(op), factors{std::move(left), std::move(right)}, emitter(emitter), architecture(architecture),
        instruction(instruction), isTransposed(isTransposed),
        width(cast<ttg::DotOperandEncodingAttr>(typeOf(op->getOperand(0)).getEncoding()).getKWidth()) {
    Type element = typeOf(op->getResult(0)).getElementType();
    sum = element.isF16() || element.isBF16() ? Type(emitter.b.getF32Type()) : element;
  }

  LogicalResult run() {
    Registers sums = widen(emitter.registers(op->getOperand(2)));
    unsigned depth = unsigned(typeOf(factors[0].operand).getShape().back()) * factors[0].packing();
    unsigned inLane = depth / instruction.groups();
    std::optional<SmallVector<Tile>> tiles = findTiles();
    if (!tiles)
      return op->emitError() << "results of the layout " << op->getResult(0).getType()
                             << " are not arranged as this GPU's instruction leaves them";
    // K is the outer loop, so that consecutive instructions do not wait for each other's results.
    for (unsigned first = 0; first < inLane; first += instruction.elements)
      for (const Tile &tile : *tiles)
        if (failed(multiplyTile(tile, first, sums)))
          return failure();
    emitter.define(op->getResult(0), narrow(sums));
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
    Type element = emitter.convertElement(typeOf(op->getResult(0)).getElementType());
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

  /// None where a thread does not hold what an instruction gives it, as in a layout of another generation.
  std::optional<SmallVector<Tile>> findTiles() {
    const LinearLayout &layout = emitter.layoutOf(typeOf(op->getResult(0)));
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
        std::optional<unsigned> found = result.find(place);
        if (!found)
          return std::nullopt;
        tile.registers.push_back(*found);
      }
      tiles.push_back(tile);
    }
    return tiles;
  }

  LogicalResult multiplyTile(const Tile &tile, unsigned first, Registers &sums) {
    std::size_t rank = tile.at.size();
    std::optional<Fragment> a = take(factors[0], tile.at, rank - 1, first),
                            b = take(factors[1], tile.at, rank - 2, first);
    if (!a || !b)
      return op->emitError() << "operands of the layouts " << op->getOperand(0).getType() << " and "
                             << op->getOperand(1).getType() << " are not the fragments that "
                             << op->getResult(0).getType() << " needs";
    Registers accumulators;
    for (unsigned index : tile.registers)
      accumulators.push_back(sums[index]);
    Value accumulator = emitter.packVector(accumulators);
    Value result = isTransposed ? multiply(*b, *a, accumulator) : multiply(*a, *b, accumulator);
    for (auto [index, value] : llvm::zip_equal(tile.registers, emitter.unpackVector(result)))
      sums[index] = value;
    return success();
  }

  /// The elements of a lane for one instruction, from its element number `first` along K on; none when they are not in
  /// this thread's registers.
  std::optional<Fragment> take(Factor &factor, const Coordinates &at, std::size_t kDimension, unsigned first) {
    Fragment fragment{pack(factor, at, kDimension, first / factor.packing()), factor.element, {}};
    if (!fragment.values || (factor.scale && !findScale(factor, at, kDimension, first, fragment)))
      return std::nullopt;
    return fragment;
  }

  /// From register number `first` along K on.
  Value pack(Factor &factor, Coordinates at, std::size_t kDimension, unsigned first) {
    SmallVector<unsigned> indices;
    for (unsigned index = first; index < first + instruction.elements / factor.packing(); ++index) {
      at[kDimension] = int32_t(index / width * width * instruction.groups() + index % width);
      std::optional<unsigned> found = factor.lookup.find(at);
      if (!found)
        return {};
      indices.push_back(*found);
    }
    Value &known = factor.packed[indices];
    if (!known) {
      Registers values;
      for (unsigned index : indices) {
        Value value = emitter.registers(factor.operand)[index];
        values.push_back(instruction.element == MatrixElement::Tf32 ? roundToTensorFloat(value) : value);
      }
      known = toForm(values);
    }
    return known;
  }

  /// A lane gives the scale of its row or column and of the group with its number, on gfx1250 of all groups, and there
  /// either half of a warp may do so; the last dimension of scales counts groups.
  bool findScale(Factor &factor, const Coordinates &at, std::size_t kDimension, unsigned first, Fragment &fragment) {
    constexpr unsigned groupElements = 32;
    Coordinates place{at[1 - kDimension], int32_t(first * instruction.groups() / groupElements)};
    std::optional<unsigned> found = factor.scales->find(place);
    if (!found && architecture.hasDeepProducts()) {
      fragment.scaleHalf = 1;
      for (auto [coordinate, moved] : llvm::zip_equal(place, secondHalf(factor)))
        coordinate ^= moved;
      found = factor.scales->find(place);
    }
    if (!found)
      return false;
    if (factor.scaleWords.empty())
      factor.scaleWords = packScales(emitter.registers(factor.scale));
    fragment.scale = factor.scaleWords[*found / wordScales];
    fragment.scaleByte = *found % wordScales;
    return !architecture.hasDeepProducts() || (fragment.scaleByte == 0 && isWord(factor, place, *found));
  }

  /// Whether the scales of the first group and of the next ones are in consecutive registers.
  static bool isWord(const Factor &factor, Coordinates place, unsigned first) {
    for (unsigned index = first; index < first + wordScales; ++index, ++place.back())
      if (factor.scales->find(place) != index)
        return false;
    return true;
  }

  /// What the lanes of the second half of a warp add to the coordinates of scales.
  const layout::Basis &secondHalf(const Factor &factor) {
    return emitter.layoutOf(typeOf(factor.scale)).findInput("lane")->bases.back();
  }

  Registers packScales(ValueRange scales) {
    auto &b = emitter.b;
    Registers words;
    for (std::size_t first = 0; first < scales.size(); first += wordScales) {
      Registers group(scales.slice(first, std::min<std::size_t>(wordScales, scales.size() - first)));
      group.resize(wordScales, emitter.integer(b.getI8Type(), 0));
      words.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), emitter.packVector(group)));
    }
    return words;
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

  Value multiply(const Fragment &first, const Fragment &second, Value accumulator) {
    auto format = [](const Fragment &side) { return side.element == MatrixElement::Float8E5 ? "bf8" : "fp8"; };
    std::string name = "amdgcn." + llvm::formatv(false, instruction.name, format(first), format(second)).str();
    Type type = accumulator.getType();
    if (instruction.isScaled())
      return architecture.hasDeepProducts() ? multiplyDeepScaled(first, second, accumulator)
                                            : multiplyScaled(name, first, second, accumulator);
    Value zero = emitter.i32(0), no = emitter.i1(false), yes = emitter.i1(true);
    if (!architecture.isRdna())
      return emitter.intrinsic(name, type, {first.values, second.values, accumulator, zero, zero, zero});
    if (architecture.hasDeepProducts())
      return multiplyDeep(name, first, second, accumulator);
    if (instruction.element == MatrixElement::Byte) // signed operands, and sums that wrap
      return emitter.intrinsic(name, type, {yes, first.values, yes, second.values, accumulator, no});
    return emitter.intrinsic(name, type, {first.values, second.values, accumulator});
  }

  /// Nothing is negated, and no operand is kept for the next instruction.
  Value multiplyDeep(llvm::StringRef name, const Fragment &first, const Fragment &second, Value accumulator) {
    Type type = accumulator.getType();
    Value no = emitter.i1(false), yes = emitter.i1(true), none = emitter.integer(emitter.b.getI16Type(), 0);
    if (instruction.element == MatrixElement::Byte) // signed operands, and sums that wrap
      return emitter.intrinsic(name, type, {yes, first.values, yes, second.values, accumulator, no, no, no});
    if (instruction.element == MatrixElement::Float8E4)
      return emitter.intrinsic(name, type, {first.values, second.values, none, accumulator, no, no});
    return emitter.intrinsic(name, type, {no, first.values, no, second.values, none, accumulator, no, no});
  }

  /// The number of a format, which instructions with scales take.
  Value formatOf(const Fragment &side) {
    return emitter.i32(side.element == MatrixElement::Float4 ? 4 : side.element == MatrixElement::Float8E5 ? 1 : 0);
  }

  /// Another instruction multiplies without scales. With one, the others are the exponent of 1. Scales have eight
  /// exponent bits.
  Value multiplyDeepScaled(const Fragment &first, const Fragment &second, Value accumulator) {
    Type type = accumulator.getType();
    Value no = emitter.i1(false), zero = emitter.i32(0), none = emitter.integer(emitter.b.getI16Type(), 0);
    Registers operands{formatOf(first), first.values, formatOf(second), second.values, none, accumulator};
    if (!first.scale && !second.scale)
      return emitter.intrinsic("amdgcn.wmma.f32.16x16x128.f8f6f4", type, operands);
    auto scale = [&](const Fragment &side) { return side.scale ? side.scale : emitter.i32(0x7f7f7f7f); };
    Value halves[] = {emitter.i32(first.scaleHalf), emitter.i32(second.scaleHalf)};
    operands.append({halves[0], zero, scale(first), halves[1], zero, scale(second), no, no});
    return emitter.intrinsic(("amdgcn." + llvm::StringRef(instruction.name)).str(), type, operands);
  }

  /// Without scales, the scales are the constant 0; with one, the other is the exponent of 1.
  Value multiplyScaled(llvm::StringRef name, const Fragment &first, const Fragment &second, Value accumulator) {
    bool isScaled = first.scale || second.scale;
    auto scale = [&](const Fragment &side) { return side.scale ? side.scale : emitter.i32(isScaled ? 127 : 0); };
    return emitter.intrinsic(name, accumulator.getType(),
                             {first.values, second.values, accumulator, formatOf(first), formatOf(second),
                              emitter.i32(first.scaleByte), scale(first), emitter.i32(second.scaleByte),
                              scale(second)});
  }

  Operation *op;
  std::array<Factor, 2> factors;
  Emitter &emitter;
  const Architecture &architecture;
  const MatrixInstruction &instruction;
  bool isTransposed;
  unsigned width; ///< consecutive registers of K in a thread
  Type sum;
};

LogicalResult lowerProduct(Operation *op, std::array<Type, 2> types, std::array<Value, 2> scales, bool isTf32,
                           Emitter &emitter, const Architecture &architecture) {
  ResultLayout layout(typeOf(op->getResult(0)).getEncoding());
  std::array<std::optional<MatrixElement>, 2> elements;
  for (auto [element, type] : llvm::zip_equal(elements, types))
    element = findMatrixElement(architecture, type, isTf32);
  std::optional<MatrixInstruction> instruction;
  if (elements[0] && elements[1])
    instruction = findMatrixInstruction(architecture,
                                        elements[0] == MatrixElement::Float4 ? MatrixElement::Float8E4 : *elements[0],
                                        layout.extent, layout.depth);
  auto operand = dyn_cast<ttg::DotOperandEncodingAttr>(typeOf(op->getOperand(0)).getEncoding());
  if (instruction && isa<tt::DotScaledOp>(op) && !instruction->isScaled())
    instruction.reset();
  if (!instruction || !operand || operand.getKWidth() == 0)
    return op->emitError() << "not supported on " << emitter.machine().name << ": no matrix instruction multiplies "
                           << op->getOperand(0).getType() << " by " << op->getOperand(1).getType() << " into "
                           << op->getResult(0).getType() << "; types and `instrShape` must be those of one";
  int64_t packing = elements[0] == MatrixElement::Float4 ? 2 : 1;
  if (int64_t columns = packing * typeOf(op->getOperand(0)).getShape().back(); columns < layout.depth)
    return op->emitError() << "not supported on " << emitter.machine().name << ": the instruction adds " << layout.depth
                           << " products at once, and " << op->getOperand(0).getType() << " has only " << columns
                           << " columns; pad them with zeros";
  return MatrixMultiply(op, Factor(emitter, op->getOperand(0), *elements[0], scales[0]),
                        Factor(emitter, op->getOperand(1), *elements[1], scales[1]), emitter, architecture,
                        *instruction, layout.isTransposed)
      .run();
}

} // namespace

LogicalResult AmdEmitter::lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const {
  return lowerProduct(op, {typeOf(op.getA()).getElementType(), typeOf(op.getB()).getElementType()}, {},
                      op.getInputPrecision() == tt::InputPrecision::TF32, emitter, architecture);
}

LogicalResult AmdEmitter::lowerScaledProduct(tt::DotScaledOp op, Emitter &emitter) const {
  return lowerProduct(op, gpu::factorTypes(op), {op.getAScale(), op.getBScale()}, /*isTf32=*/false, emitter,
                      architecture);
}

} // namespace triton::amd

// tcgen05.mma. The source is the PTX ISA, sections on its kinds, shapes and instruction descriptors.
#include "backends/nvidia/lowering/MatrixBuffer.h"
#include "backends/nvidia/lowering/TensorProducts.h"

#include "base/UserErrors.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// What an element of a factor is to the unit.
struct Kind {
  llvm::StringRef name;
  uint32_t code = 0;
};

std::optional<Kind> kindOf(Type element) {
  if (element.isF16())
    return Kind{"f16", 0};
  if (element.isBF16())
    return Kind{"f16", 1};
  if (element.isF32())
    return Kind{"tf32", 2};
  if (isa<Float8E4M3FNType>(element))
    return Kind{"f8f6f4", 0};
  if (isa<Float8E5M2Type>(element))
    return Kind{"f8f6f4", 1};
  if (element.isInteger(8))
    return Kind{"i8", 1};
  return std::nullopt;
}

/// The code of an accumulator's elements; none where the unit does not add products of `kind` to them.
std::optional<uint32_t> codeOfAccumulator(Type element, const Kind &kind) {
  if (kind.name == "i8")
    return element.isInteger(32) ? std::optional(2u) : std::nullopt;
  if (element.isF32())
    return 1;
  bool takesHalf = (kind.name == "f16" && kind.code == 0) || kind.name == "f8f6f4";
  return element.isF16() && takesHalf ? std::optional(0u) : std::nullopt;
}

class TensorProduct {
public:
  TensorProduct(ttg::foreign::TCGen5MMAOp op, bool multipliesBytes, Emitter &emitter)
      : op(op), emitter(emitter), multipliesBytes(multipliesBytes), aType(op.getA().getType()),
        bType(op.getB().getType()), dType(op.getD().getType()),
        encoding(cast<ttg::foreign::TensorMemoryEncodingAttr>(dType.getEncoding())), result(dType) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    emitProducts(op, emitter, [&] { return instructions(); });
    return success();
  }

private:
  bool isOfPair() const { return encoding.getTwoCTAs(); }
  static bool isPartOfRows(ttg::MemDescType type) { return type.getShape()[0] != type.getAllocShape()[0]; }

  InFlightDiagnostic refuse() { return refuseProduct(op, emitter); }

  LogicalResult check() {
    std::optional<Kind> a = kindOf(aType.getElementType()), b = kindOf(bType.getElementType());
    if (!a || !b || a->name != b->name || (a->name == "f16" && a->code != b->code))
      return refuse() << "elements are f16, bf16, tf32, i8, or floats of 8 bits, which may be mixed";
    if (a->name == "i8" && !multipliesBytes)
      return refuse() << "compute capabilities 10.0 and 11.0 multiply int8, this one does not; convert to float8e4nv "
                         "or float16";
    std::optional<uint32_t> code = codeOfAccumulator(dType.getElementType(), *a);
    if (!code)
      return refuse() << "it adds such products to f32, those of f16 and of floats of 8 bits also to f16, and those of "
                         "i8 to i32";
    kind = *a;
    depth = depthBytes * 8 / aType.getElementTypeBitWidth();
    rows = encoding.getBlockM();
    columns = columnsOfInstruction(dType);
    if (dType.getShape()[0] < rows)
      return refuse() << "the result has whole blocks of " << rows << " rows, not a part of one";
    unsigned wordBits = encoding.getColStride() * dType.getElementTypeBitWidth();
    if (wordBits != 32)
      return refuse() << "the result has a column of 32 bits for each element, `colStride` "
                      << 32 / dType.getElementTypeBitWidth();
    if (isOfPair() && columns != dType.getShape()[1])
      return refuse() << "a product of two blocks has at most " << mostColumns
                      << " columns, in one block of the result";
    int64_t unit = isOfPair() ? 32 : rows == 128 ? 16 : 8;
    if (columns % unit != 0 || aType.getShape()[1] % depth != 0)
      return refuse() << "blocks of " << rows << " rows have a multiple of " << unit
                      << " columns, and K is a multiple of " << depth;
    return checkBuffers(code.value(), *b);
  }

  LogicalResult checkBuffers(uint32_t code, const Kind &b) {
    bool isLeftInMemory = ttg::isInTensorMemory(aType);
    if (isLeftInMemory) {
      auto left = dyn_cast<ttg::foreign::TensorMemoryEncodingAttr>(aType.getEncoding());
      if (!left || left.getColStride() != 1 || int64_t(left.getBlockM()) != rows)
        return refuse() << "a first factor in tensor memory has `colStride` 1 and blocks of as many rows as the result";
      leftMatrix.emplace(aType);
      if (!(result.hasLanesByRow() && leftMatrix->hasLanesByRow()) ||
          (rows == 64 && (isPartOfRows(aType) || isPartOfRows(dType))))
        return refuse() << "a row of the first factor is in the lanes of this row of the result; give both blocks of "
                           "64 rows that are as wide as the buffer, and no parts of their rows";
    }
    if (!isReadableFactor(bType) || !(isLeftInMemory || isReadableFactor(aType)))
      return refuse() << "factors in shared memory have the encoding nvmma_shared of matrices";
    right.emplace(op.getB(), 0, MatrixBuffer::Unit::TensorMemory, emitter);
    if (!isLeftInMemory)
      left.emplace(op.getA(), 1, MatrixBuffer::Unit::TensorMemory, emitter);
    bool leftAlongRows = left && !left->depthMajor(), rightAlongRows = !right->depthMajor();
    if (rightAlongRows && bType.getElementTypeBitWidth() == 8 && columns % 16 != 0)
      return refuse() << "of elements of 8 bits that lie side by side along N, a multiple of 16 is multiplied";
    if (kind.name == "tf32" && (leftAlongRows || rightAlongRows))
      return refuse() << "elements of 32 bits must lie side by side along K";
    descriptor = code << 4 | kind.code << 7 | b.code << 10 | uint32_t(leftAlongRows) << 15 |
                 uint32_t(rightAlongRows) << 16 | uint32_t(columns / 8) << 17 |
                 uint32_t(rows * (isOfPair() ? 2 : 1) / 16) << 24;
    return success();
  }

  InstructionText instructions() {
    InstructionText text(emitter.scalar(op.getUseD()), emitter);
    description = text.add(emitter.i32(int32_t(descriptor)), "r");
    for (int64_t row = 0; row < dType.getShape()[0]; row += rows)
      for (int64_t column = 0; column < dType.getShape()[1]; column += columns)
        for (int64_t k = 0; k < aType.getShape()[1]; k += depth)
          emitTile(text, row, column, k);
    return text;
  }

  void emitTile(InstructionText &text, int64_t row, int64_t column, int64_t k) {
    std::string d = text.at(op.getD(), result.offset(row, column));
    std::string a = leftMatrix ? text.at(op.getA(), leftMatrix->offset(row, k))
                               : text.add(left->descriptor(left->offset(row, k), {}), "l");
    std::string b = text.add(right->descriptor(right->offset(column, k), {}), "l");
    text.text += "@elected tcgen05.mma." + blocksOfUnit(emitter) + ".kind::" + kind.name.str() + " " + d + ", " + a +
                 ", " + b + ", " + description + ", " + (k == 0 ? "starts" : "adds") + "; ";
  }

  ttg::foreign::TCGen5MMAOp op;
  Emitter &emitter;
  bool multipliesBytes;
  ttg::MemDescType aType, bType, dType;
  ttg::foreign::TensorMemoryEncodingAttr encoding;
  TensorMatrix result;
  std::optional<TensorMatrix> leftMatrix; ///< if A is in tensor memory
  std::optional<MatrixBuffer> left, right;
  Kind kind;
  int64_t rows = 0, columns = 0, depth = 0; ///< of an instruction
  uint32_t descriptor = 0;                  ///< of an instruction
  std::string description;                  ///< the operand with it
};

} // namespace

LogicalResult lowerTensorProduct(ttg::foreign::TCGen5MMAOp op, bool multipliesBytes, Emitter &emitter) {
  return TensorProduct(op, multipliesBytes, emitter).run();
}

} // namespace triton::nvidia

// tcgen05.mma with scales, and the copies that bring these. The source is the PTX ISA, sections on block scaling and on
// tcgen05.cp.
#include "backends/nvidia/lowering/MatrixBuffer.h"
#include "backends/nvidia/lowering/TensorProducts.h"

#include "base/UserErrors.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

constexpr int64_t rowsOfInstruction = 128;
constexpr int64_t scalesOfColumn = 4;
constexpr int64_t rowsOfScales = 32; ///< in a column

class ScaledTensorProduct {
public:
  ScaledTensorProduct(ttg::foreign::TCGen5MMAScaledOp op, Emitter &emitter)
      : op(op), emitter(emitter), aType(op.getA().getType()), bType(op.getB().getType()), dType(op.getD().getType()),
        encoding(cast<ttg::foreign::TensorMemoryEncodingAttr>(dType.getEncoding())), result(dType),
        aScales(op.getAScale().getType()), bScales(op.getBScale().getType()) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    emitProducts(op, emitter, [&] { return instructions(); });
    return success();
  }

private:
  InFlightDiagnostic refuse() { return refuseProduct(op, emitter); }

  static std::optional<uint32_t> codeOf(tt::ScaleDotElemType format) {
    if (format == tt::ScaleDotElemType::E4M3)
      return 0;
    if (format == tt::ScaleDotElemType::E5M2)
      return 1;
    if (format == tt::ScaleDotElemType::E2M1)
      return 5;
    return std::nullopt;
  }

  /// Floats of 4 bits, of which 16 have 16 bytes as floats of 8 bits have.
  static bool isPadded(ttg::MemDescType factor) {
    auto encoding = dyn_cast<ttg::NvmmaSharedEncodingAttr>(factor.getEncoding());
    return encoding && encoding.getFp4Padded();
  }

  /// Elements are the bits of numbers of the format, or such numbers.
  static bool holds(ttg::MemDescType factor, tt::ScaleDotElemType format) {
    Type element = factor.getElementType();
    return element.isInteger(8) || (format == tt::ScaleDotElemType::E4M3 && isa<Float8E4M3FNType>(element)) ||
           (format == tt::ScaleDotElemType::E5M2 && isa<Float8E5M2Type>(element));
  }

  /// Two 4-bit floats are in a byte of both factors; or there are floats of 8 bits.
  LogicalResult findKind() {
    if (!holds(aType, op.getAType()) || !holds(bType, op.getBType()))
      return refuse() << "factors have elements of 8 bits: uint8, or floats of the format that is named, here "
                      << tt::stringifyScaleDotElemType(op.getAType()) << " and "
                      << tt::stringifyScaleDotElemType(op.getBType());
    bool areSmall[] = {op.getAType() == tt::ScaleDotElemType::E2M1, op.getBType() == tt::ScaleDotElemType::E2M1};
    bool isPacked = areSmall[0] && areSmall[1] && !isPadded(aType) && !isPadded(bType);
    if (!isPacked && (areSmall[0] != isPadded(aType) || areSmall[1] != isPadded(bType)))
      return refuse() << "floats of 4 bits beside those of 8 bits are in a buffer with `fp4Padded`, and others are not";
    packing = isPacked ? 2 : 1;
    depth = aType.getShape()[1] * (areSmall[0] ? 2 : 1) / packing;
    scaleElements = depth * packing / op.getAScale().getType().getShape()[1];
    Type scale = op.getAScale().getType().getElementType();
    if (scale != op.getBScale().getType().getElementType() ||
        op.getAScale().getType().getShape()[1] != op.getBScale().getType().getShape()[1])
      return refuse() << "the scales of both factors must be of one type, and for as many elements";
    bool areExponents = scale.isInteger(8);
    if (!areExponents && !(isPacked && scaleElements == 16 && isa<Float8E4M3FNType>(scale)))
      return refuse() << "scales are exponents of 8 bits, or for 16 floats of 4 bits e4m3";
    if (areExponents && scaleElements != 32)
      return refuse() << "a scale is for 32 elements, not for " << scaleElements;
    if (isPacked) {
      kind = areExponents ? "mxf4.block_scale.block32" : "mxf4nvf4.block_scale.block16";
      descriptor = 1 << 7 | 1 << 10;
    } else {
      kind = "mxf8f6f4.block_scale.block32";
      std::optional<uint32_t> a = codeOf(op.getAType()), b = codeOf(op.getBType());
      if (!a || !b)
        return refuse() << "factors are e2m1, e4m3 or e5m2";
      descriptor = *a << 7 | *b << 10;
    }
    descriptor |= uint32_t(areExponents) << 23;
    return success();
  }

  LogicalResult check() {
    if (failed(findKind()))
      return failure();
    if (!isReadableFactor(aType) || !isReadableFactor(bType))
      return refuse() << "factors are in shared memory, with the encoding nvmma_shared of matrices";
    if (encoding.getBlockM() != rowsOfInstruction || !dType.getElementType().isF32() || encoding.getColStride() != 1)
      return refuse() << "the result has blocks of 128 rows, and elements of f32 in a column each";
    columns = columnsOfInstruction(dType);
    if (encoding.getTwoCTAs() && columns != dType.getShape()[1])
      return refuse() << "a product of two blocks has at most " << mostColumns
                      << " columns, in one block of the result";
    if (dType.getShape()[0] < rowsOfInstruction)
      return refuse() << "the result has whole blocks of 128 rows, not a part of one";
    if (columns < rowsOfScales && columns < dType.getShape()[1])
      return refuse() << "a block with others beside it has a multiple of " << rowsOfScales
                      << " columns, whose scales begin in the first lane";
    if (columns % 16 != 0 || depth % depthBytes != 0)
      return refuse() << "blocks have a multiple of 16 columns, and K is a multiple of " << depthBytes * packing;
    left.emplace(op.getA(), 1, MatrixBuffer::Unit::TensorMemory, emitter);
    right.emplace(op.getB(), 0, MatrixBuffer::Unit::TensorMemory, emitter);
    bool areSmall = packing == 2 || isPadded(aType) || isPadded(bType);
    if (areSmall && !(left->depthMajor() && right->depthMajor()))
      return refuse() << "floats of 4 bits must lie side by side along K";
    descriptor |= uint32_t(!left->depthMajor()) << 15 | uint32_t(!right->depthMajor()) << 16 |
                  uint32_t(columns / 8) << 17 | uint32_t(encoding.getTwoCTAs() ? 2 : 1) << 27;
    return success();
  }

  InstructionText instructions() {
    InstructionText text(emitter.scalar(op.getUseD()), emitter);
    for (int64_t row = 0; row < dType.getShape()[0]; row += rowsOfInstruction)
      for (int64_t column = 0; column < dType.getShape()[1]; column += columns)
        for (int64_t k = 0; k < depth; k += depthBytes)
          emitTile(text, row, column, k);
    return text;
  }

  /// Of four scales in a column, the descriptor says with which the instruction begins.
  void emitTile(InstructionText &text, int64_t row, int64_t column, int64_t k) {
    int64_t scale = k * packing / scaleElements, first = scale / scalesOfColumn * scalesOfColumn;
    auto number = uint32_t(scale - first);
    std::string d = text.at(op.getD(), result.offset(row, column)),
                a = text.add(left->descriptor(left->offset(row, k), {}), "l"),
                b = text.add(right->descriptor(right->offset(column, k), {}), "l"),
                description = text.add(emitter.i32(int32_t(descriptor | number << 4 | number << 29)), "r"),
                ofA = text.at(op.getAScale(), aScales.offset(row, first)),
                ofB = text.at(op.getBScale(), bScales.offset(column, first));
    text.text += "@elected tcgen05.mma." + blocksOfUnit(emitter) + ".kind::" + kind.str() + " " + d + ", " + a + ", " +
                 b + ", " + description + ", " + ofA + ", " + ofB + ", " + (k == 0 ? "starts" : "adds") + "; ";
  }

  ttg::foreign::TCGen5MMAScaledOp op;
  Emitter &emitter;
  ttg::MemDescType aType, bType, dType;
  ttg::foreign::TensorMemoryEncodingAttr encoding;
  TensorMatrix result, aScales, bScales;
  std::optional<MatrixBuffer> left, right;
  llvm::StringRef kind;
  int64_t packing = 1;        ///< elements of a byte
  int64_t depth = 0;          ///< K in bytes, of which a padded float of 4 bits has one
  int64_t scaleElements = 32; ///< for which a scale is
  int64_t columns = 0;        ///< of an instruction
  uint32_t descriptor = 0;    ///< of an instruction, without the numbers of scales
};

} // namespace

LogicalResult lowerTensorProduct(ttg::foreign::TCGen5MMAScaledOp op, Emitter &emitter) {
  return ScaledTensorProduct(op, emitter).run();
}

/// The bytes from the start to the scales of 128 rows and 4 steps along K, which an instruction brings, where they lie
/// as it takes them: a row of 16 bytes has those of rows 32 apart. None where they lie otherwise.
static std::optional<llvm::SmallVector<int64_t>> findScales(ttg::MemDescType source) {
  layout::LinearLayout offsets = ttg::getElementOffsets(source);
  auto of = [&](int32_t row, int32_t scale) {
    return int64_t(offsets.apply({{"dim0", row}, {"dim1", scale}}).front().second);
  };
  for (int32_t bit = 1; bit < rowsOfInstruction; bit *= 2)
    if (of(bit, 0) != (bit < 32 ? 16 * bit : bit / 8))
      return std::nullopt;
  for (int32_t bit = 1; bit < scalesOfColumn; bit *= 2)
    if (of(0, bit) != bit)
      return std::nullopt;
  llvm::SmallVector<int64_t> starts;
  for (int64_t row = 0; row < source.getShape()[0]; row += rowsOfInstruction)
    for (int64_t scale = 0; scale < source.getShape()[1]; scale += scalesOfColumn)
      starts.push_back(of(int32_t(row), int32_t(scale)));
  return starts;
}

LogicalResult lowerScaleCopy(ttg::foreign::TMEMCopyOp op, Emitter &emitter) {
  ttg::MemDescType source = op.getSrc().getType(), target = op.getDst().getType();
  bool areScales = isa<ttg::foreign::TensorMemoryScalesEncodingAttr>(target.getEncoding()) &&
                   source.getShape() == target.getShape() && source.getRank() == 2 && !source.isPart() &&
                   source.getShape()[0] % rowsOfInstruction == 0 && source.getShape()[1] % scalesOfColumn == 0;
  std::optional<llvm::SmallVector<int64_t>> starts;
  if (areScales)
    starts = findScales(source);
  if (!starts)
    return op.emitError() << base::unsupportedPrefix << emitter.machine().name << ": a copy of " << source << " to "
                          << target
                          << "; it takes scales of multiples of 128 rows and of 4 along K, of which 16 bytes in "
                             "shared memory have those of rows 32 apart";
  constexpr uint64_t version = 1 << 14, stride = 128 >> 4;
  TensorMatrix places(target);
  emitInFirstWarp(emitter, emitter.i1(true), [&] {
    InstructionText text(emitter.i1(true), emitter);
    Value shared = LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), emitter.scalar(op.getSrc()));
    std::size_t index = 0;
    for (int64_t row = 0; row < source.getShape()[0]; row += rowsOfInstruction)
      for (int64_t scale = 0; scale < source.getShape()[1]; scale += scalesOfColumn) {
        Value start = emitter.add(shared, emitter.i32((*starts)[index++]));
        Value low = LLVM::ZExtOp::create(emitter.b, emitter.b.getI64Type(),
                                         emitter.shiftRight(emitter.bitAnd(start, 0x3ffff), 4));
        Value descriptor = LLVM::OrOp::create(emitter.b, low, emitter.i64(int64_t((version | stride) << 32)));
        text.text += "@elected tcgen05.cp." + blocksOfUnit(emitter) + ".32x128b.warpx4 " +
                     text.at(op.getDst(), places.offset(row, scale)) + ", " + text.add(descriptor, "l") + "; ";
      }
    emitInElectedThread(emitter, text.text, text.constraints, text.arguments);
    if (op.getBarrier())
      emitProductArrival(op, emitter, emitter.scalar(op.getBarrier()));
  });
  return success();
}

} // namespace triton::nvidia

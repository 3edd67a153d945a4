#include "ir/FourBitFloats.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace triton::tt {

static Value splat(OpBuilder &builder, Location location, RankedTensorType tensor, int64_t number) {
  return arith::ConstantOp::create(
      builder, location, DenseElementsAttr::get(tensor, builder.getIntegerAttr(tensor.getElementType(), number)));
}

/// Converts codes 0 to 15. From 1.0, which is code 2, the fields only need another bias; the codes below are 0 and 0.5.
static Value decodeFourBits(OpBuilder &builder, Location location, Value code, FloatType type) {
  auto integers = cast<RankedTensorType>(code.getType());
  auto number = [&](int64_t value) { return splat(builder, location, integers, value); };
  int64_t mantissa = type.getFPMantissaWidth() - 1, bias = type.isF16() ? 15 : 127;
  int64_t oneHalf = (bias - 1) << mantissa;
  Value magnitude = arith::AndIOp::create(builder, location, code, number(7));
  Value moved = arith::ShLIOp::create(builder, location, magnitude, number(mantissa - 1));
  Value normal = arith::AddIOp::create(builder, location, moved, number(oneHalf));
  auto isBelow = [&](int64_t bound) {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, magnitude, number(bound));
  };
  Value result = arith::SelectOp::create(builder, location, isBelow(2), number(oneHalf), normal);
  result = arith::SelectOp::create(builder, location, isBelow(1), number(0), result);
  Value sign = arith::AndIOp::create(builder, location, code, number(8));
  sign = arith::ShLIOp::create(builder, location, sign, number(12));
  result = arith::OrIOp::create(builder, location, result, sign);
  return BitcastOp::create(builder, location, integers.clone(type), result);
}

std::pair<Value, Value> decodeFourBitPairs(OpBuilder &builder, Location location, Value bytes, FloatType type) {
  RankedTensorType wide = cast<RankedTensorType>(bytes.getType()).clone(builder.getI16Type());
  Value codes = arith::ExtUIOp::create(builder, location, wide, bytes);
  Value low = arith::AndIOp::create(builder, location, codes, splat(builder, location, wide, 15));
  Value high = arith::ShRUIOp::create(builder, location, codes, splat(builder, location, wide, 4));
  Value first = decodeFourBits(builder, location, low, type);
  return {first, decodeFourBits(builder, location, high, type)};
}

namespace {

/// PTX that makes words of two elements each of four bytes. Tables give the two bytes of four magnitudes at a time,
/// which meet in a word; the bits of signs come from the bytes and from what they are when moved up by four bits.
class PairAssembly {
public:
  explicit PairAssembly(FloatType type) {
    constexpr unsigned twice[] = {0, 1, 2, 3, 4, 6, 8, 12}; // of each magnitude
    for (auto [code, number] : llvm::enumerate(twice)) {
      llvm::APFloat value(number / 2.0);
      bool isInexact;
      value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      low |= (bits & 0xff) << 8 * code;
      high |= (bits >> 8) << 8 * code;
    }
  }

  std::string text() const {
    std::string lines = "{ .reg .b32 m, s, h, l, p0, p1, p2, p3, q0, q1, q2, q3;\n"
                        "and.b32 m, $4, 0x77777777;\n"
                        "shl.b32 s, $4, 4;\n";
    for (unsigned byte : {0, 2}) {
      if (byte != 0)
        lines += "shr.b32 m, m, 16;\n";
      lines += lookUp("l", low) + lookUp("h", high);
      lines += llvm::formatv("prmt.b32 p{0}, l, h, 0x5140;\nprmt.b32 p{1}, l, h, 0x7362;\n", byte, byte + 1).str();
    }
    for (unsigned byte = 0; byte < 4; ++byte)
      lines += llvm::formatv("prmt.b32 q{0}, s, $4, 0x{1}{1}{0}{0};\n", byte, byte + 4).str();
    for (unsigned byte = 0; byte < 4; ++byte)
      lines += llvm::formatv("lop3.b32 ${0}, p{0}, q{0}, 0x80008000, 0xf8;\n", byte).str(); // p | (q & signs)
    return lines + "}";
  }

private:
  static std::string lookUp(llvm::StringRef to, uint64_t table) {
    return llvm::formatv("prmt.b32 {0}, {1:x8}, {2:x8}, m;\n", to, uint32_t(table), uint32_t(table >> 32));
  }

  uint64_t low = 0, high = 0; ///< bytes of the elements, by magnitude
};

} // namespace

std::pair<Value, Value> decodeFourBitPairsByPtx(OpBuilder &builder, Location location, Value bytes, FloatType type) {
  RankedTensorType words = cast<RankedTensorType>(bytes.getType()).clone(builder.getI32Type());
  constexpr int32_t packed = 4;
  Value pairs = ElementwiseInlineAsmOp::create(builder, location, TypeRange{words},
                                               builder.getStringAttr(PairAssembly(type).text()),
                                               builder.getStringAttr("=r,=r,=r,=r,r"), builder.getBoolAttr(true),
                                               builder.getI32IntegerAttr(packed), ValueRange{bytes})
                    ->getResult(0);
  auto halfOf = [&](Value word) {
    Value half = arith::TruncIOp::create(builder, location, words.clone(builder.getI16Type()), word);
    return BitcastOp::create(builder, location, words.clone(type), half).getResult();
  };
  Value second = arith::ShRUIOp::create(builder, location, pairs, splat(builder, location, words, 16));
  return {halfOf(pairs), halfOf(second)};
}

} // namespace triton::tt

// triton-decompose-scaled-dot: replaces scaled products by products of numbers that the matrix units of all targets can
// multiply.
#include "ir/Dialect.h"
#include "ir/FourBitFloats.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONDECOMPOSESCALEDDOT
#include "passes/tt/Passes.h.inc"

namespace {

/// One side of a product. The dimension of the sum is the last one of the left side and the second to last of the right
/// side.
struct Side {
  Value value, scale; ///< the scale may be null
  ScaleDotElemType format;
  bool packsSum; ///< packed along the dimension of the sum
  bool isLeft;
};

bool isByteFloat(ScaleDotElemType format) {
  return format == ScaleDotElemType::E4M3 || format == ScaleDotElemType::E5M2;
}

/// The narrowest type that represents every element exactly: fp16 if fp16 elements are only combined with 8- and 4-bit
/// ones, otherwise bf16; f32 if both ranges of exponents or both mantissas are needed. tf32 has the bits of both.
FloatType getProductType(const Side &left, const Side &right) {
  MLIRContext *context = left.value.getContext();
  auto has = [&](ScaleDotElemType format) { return left.format == format || right.format == format; };
  if (!has(ScaleDotElemType::FP16))
    return BFloat16Type::get(context);
  bool needsRange = has(ScaleDotElemType::BF16) || left.scale || right.scale;
  return needsRange ? FloatType(Float32Type::get(context)) : Float16Type::get(context);
}

class SideDecoder {
public:
  SideDecoder(OpBuilder &builder, Location loc, FloatType type, bool fastMath, bool takesPtx)
      : builder(builder), loc(loc), type(type), fastMath(fastMath), takesPtx(takesPtx) {}

  /// The elements as numbers of the product's type, multiplied by their scales.
  Value decode(const Side &side) {
    Value numbers = decodeElements(side);
    if (!side.scale)
      return numbers;
    return arith::MulFOp::create(builder, loc, numbers, decodeScale(side, getType(numbers)));
  }

private:
  static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value splat(RankedTensorType tensor, int64_t number) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(tensor, builder.getIntegerAttr(tensor.getElementType(), number)));
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(builder, loc, getType(value).clone(shape), value, /*allow_reorder=*/false,
                             /*efficient_layout=*/false);
  }

  /// `value` with its last two dimensions exchanged.
  Value transpose(Value value) {
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(getType(value).getRank())));
    std::swap(order.end()[-1], order.end()[-2]);
    return TransOp::create(builder, loc, value, order);
  }

  Value convert(Value value, FloatType to) {
    auto from = cast<FloatType>(getType(value).getElementType());
    if (from == to)
      return value;
    RankedTensorType result = getType(value).clone(to);
    if (from.getWidth() == 8)
      return FpToFpOp::create(builder, loc, result, value, RoundingModeAttr());
    return arith::ExtFOp::create(builder, loc, result, value);
  }

  Value decodeElements(const Side &side) {
    if (side.format == ScaleDotElemType::E2M1)
      return decodePairs(side);
    Value value = side.value;
    if (isByteFloat(side.format) && getType(value).getElementType().isInteger()) {
      Type element = side.format == ScaleDotElemType::E4M3 ? Type(Float8E4M3FNType::get(builder.getContext()))
                                                           : Float8E5M2Type::get(builder.getContext());
      value = BitcastOp::create(builder, loc, getType(value).clone(element), value);
    }
    return convert(value, type);
  }

  /// A byte contains two 4-bit elements, the first in the low bits.
  Value decodePairs(const Side &side) {
    FloatType half = type.isF32() ? BFloat16Type::get(builder.getContext()) : type;
    auto [low, high] = takesPtx ? decodeFourBitPairsByPtx(builder, loc, side.value, half)
                                : decodeFourBitPairs(builder, loc, side.value, half);
    Value pairs = JoinOp::create(builder, loc, low, high);
    SmallVector<int64_t> shape(getType(side.value).getShape());
    bool isPackedAlongLast = side.packsSum == side.isLeft;
    if (!isPackedAlongLast)
      pairs = transpose(pairs); // The pair follows the dimension along which it lies.
    shape.end()[isPackedAlongLast ? -1 : -2] *= 2;
    return convert(reshape(pairs, shape), type);
  }

  /// The scales of a side in the shape of its elements.
  Value decodeScale(const Side &side, RankedTensorType elements) {
    Value numbers = decodeScaleNumbers(side.scale);
    RankedTensorType groups = getType(numbers);
    int64_t rank = groups.getRank();
    SmallVector<int64_t> shape(groups.getShape());
    int64_t sum = elements.getDimSize(side.isLeft ? rank - 1 : rank - 2);
    shape.push_back(sum / groups.getDimSize(rank - 1));
    Value spread = ExpandDimsOp::create(builder, loc, numbers, rank);
    spread = BroadcastOp::create(builder, loc, groups.clone(shape), spread);
    shape.pop_back();
    shape.back() = sum;
    spread = reshape(spread, shape);
    return side.isLeft ? spread : transpose(spread);
  }

  /// Scales in i8 are powers of two, given by their exponent in bf16, whose bias is the same: 255 is NaN, and 0, for
  /// which bf16 has subnormal numbers, is 2^-127. Other scales are already numbers.
  Value decodeScaleNumbers(Value scale) {
    if (!getType(scale).getElementType().isInteger())
      return convert(scale, type);
    constexpr int64_t smallest = 0x40, notANumber = 0x7fc0, exponentOfNaN = 255;
    RankedTensorType wide = getType(scale).clone(builder.getI16Type());
    Value exponent = arith::ExtUIOp::create(builder, loc, wide, scale);
    Value bits = arith::ShLIOp::create(builder, loc, exponent, splat(wide, 7));
    bits = arith::MaxUIOp::create(builder, loc, bits, splat(wide, smallest));
    if (!fastMath) {
      Value isNaN = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, exponent, splat(wide, exponentOfNaN));
      bits = arith::SelectOp::create(builder, loc, isNaN, splat(wide, notANumber), bits);
    }
    return convert(BitcastOp::create(builder, loc, wide.clone(BFloat16Type::get(builder.getContext())), bits), type);
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
  bool fastMath, takesPtx;
};

void decompose(DotScaledOp op, bool takesPtx) {
  Side left{op.getA(), op.getAScale(), op.getAElemType(), op.getLhsKPack(), /*isLeft=*/true};
  Side right{op.getB(), op.getBScale(), op.getBElemType(), op.getRhsKPack(), /*isLeft=*/false};
  OpBuilder builder(op);
  FloatType type = getProductType(left, right);
  SideDecoder decoder(builder, op.getLoc(), type, op.getFastMath(), takesPtx);
  Value a = decoder.decode(left), b = decoder.decode(right);
  auto precision = type.isF32() ? InputPrecision::TF32 : InputPrecision::IEEE;
  auto product =
      DotOp::create(builder, op.getLoc(), op.getType(), a, b, op.getC(), precision, /*maxNumImpreciseAcc=*/0);
  op.replaceAllUsesWith(product.getResult());
  op.erase();
}

bool isDecodable(ScaleDotElemType format) {
  return format != ScaleDotElemType::E2M3 && format != ScaleDotElemType::E3M2;
}

/// Whether units that multiply with scales can compute the product. Their instructions for 16 rows and columns, 32 and
/// so on have these depths.
bool fitsScalingUnits(DotScaledOp op, ArrayRef<unsigned> depths) {
  constexpr int64_t groupElements = 32;
  auto a = cast<RankedTensorType>(op.getA().getType()), result = cast<RankedTensorType>(op.getD().getType());
  int64_t depth = a.getShape().back() * (op.getAElemType() == ScaleDotElemType::E2M1 ? 2 : 1);
  auto fits = [&](ScaleDotElemType format, Value scale) {
    if (!isByteFloat(format) && format != ScaleDotElemType::E2M1)
      return false;
    auto type = scale ? cast<RankedTensorType>(scale.getType()) : RankedTensorType();
    return !type || (type.getElementType().isInteger(8) && type.getShape().back() * groupElements == depth);
  };
  int64_t least = llvm::min_element(result.getShape())[0];
  auto isLarger = [&](auto instruction) {
    auto [number, known] = instruction;
    return known != 0 && least >= int64_t(16) << number && depth >= known;
  };
  return result.getRank() == 2 && result.getElementType().isF32() && op.getLhsKPack() && op.getRhsKPack() &&
         fits(op.getAElemType(), op.getAScale()) && fits(op.getBElemType(), op.getBScale()) &&
         llvm::any_of(llvm::enumerate(depths), isLarger);
}

struct DecomposeScaledDot : impl::TritonDecomposeScaledDotBase<DecomposeScaledDot> {
  using TritonDecomposeScaledDotBase::TritonDecomposeScaledDotBase;

  void runOnOperation() override {
    SmallVector<DotScaledOp> products;
    getOperation().walk([&](DotScaledOp op) {
      if (!fitsScalingUnits(op, scalingDepths))
        products.push_back(op);
    });
    if (products.empty())
      return markAllAnalysesPreserved();
    for (DotScaledOp op : products)
      for (ScaleDotElemType format : {op.getAElemType(), op.getBElemType()})
        if (!isDecodable(format)) {
          op.emitError() << "not supported on any target yet: elements of the format " << stringifyEnum(format)
                         << "; use e2m1, e4m3, e5m2, bf16 or fp16";
          return signalPassFailure();
        }
    for (DotScaledOp op : products)
      decompose(op, takesPtx);
  }
};

} // namespace

} // namespace triton::tt

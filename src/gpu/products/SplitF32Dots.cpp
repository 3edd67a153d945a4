// Computes precise products of f32 by several less precise ones, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSPLITF32DOTS
#include "gpu/products/Passes.h.inc"

namespace {

/// How an f32 is split into parts, from the largest to the smallest. Their sum is the number, or close to it.
struct Scheme {
  unsigned parts;
  bool isTf32; ///< the parts are f32 that tf32 can represent; otherwise bf16

  tt::InputPrecision precision() const { return isTf32 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE; }
};

std::optional<Scheme> schemeOf(tt::InputPrecision precision) {
  switch (precision) {
  case tt::InputPrecision::TF32x3:
    return Scheme{2, true};
  case tt::InputPrecision::BF16x3:
    return Scheme{2, false};
  case tt::InputPrecision::BF16x6:
    return Scheme{3, false};
  default:
    return std::nullopt;
  }
}

class DotSplitter {
public:
  DotSplitter(tt::DotOp dot, Scheme scheme) : dot(dot), scheme(scheme), builder(dot), location(dot.getLoc()) {}

  void run() {
    SmallVector<Value> left = split(dot.getA()), right = split(dot.getB());
    auto type = cast<RankedTensorType>(dot.getType());
    Value zero = splat(type, builder.getF32FloatAttr(0));
    // The smallest products are added first, from zero, because they would be lost if they were added to the large
    // accumulator one by one. The product of the two smallest parts is omitted, because it is below the precision of
    // the parts.
    Value small = zero;
    for (unsigned rank = scheme.parts - 1; rank > 0; --rank)
      for (unsigned index = 0; index <= rank; ++index)
        small = multiply(left[rank - index], right[index], small);
    // Parts of infinities are NaN, which must not replace the infinite product.
    Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, small, small);
    small = arith::SelectOp::create(builder, location, isNan, zero, small);
    Value product = multiply(left.front(), right.front(), small);
    dot.replaceAllUsesWith(arith::AddFOp::create(builder, location, product, dot.getC()).getResult());
    dot.erase();
  }

private:
  Value splat(RankedTensorType type, Attribute value) {
    return arith::ConstantOp::create(builder, location, SplatElementsAttr::get(type, value));
  }

  Value multiply(Value left, Value right, Value sum) {
    return tt::DotOp::create(builder, location, sum.getType(), left, right, sum, scheme.precision(),
                             dot.getMaxNumImpreciseAcc());
  }

  SmallVector<Value> split(Value value) {
    SmallVector<Value> parts;
    for (unsigned part = 1; part < scheme.parts; ++part) {
      parts.push_back(scheme.isTf32 ? truncateToTf32(value) : roundToBf16(value));
      Value taken = parts.back();
      if (!scheme.isTf32)
        taken = arith::ExtFOp::create(builder, location, value.getType(), taken);
      value = arith::SubFOp::create(builder, location, value, taken);
    }
    parts.push_back(scheme.isTf32 ? value : roundToBf16(value));
    return parts;
  }

  Value roundToBf16(Value value) {
    auto narrow = cast<RankedTensorType>(value.getType()).clone(builder.getBF16Type());
    return arith::TruncFOp::create(builder, location, narrow, value);
  }

  /// Clears the 13 low bits of the mantissa, which tf32 lacks. A NaN stays a NaN, whichever bits it has.
  Value truncateToTf32(Value value) {
    auto type = cast<RankedTensorType>(value.getType()), bits = type.clone(builder.getI32Type());
    Value mask = splat(bits, builder.getI32IntegerAttr(int32_t(0xffffe000)));
    Value raw = tt::BitcastOp::create(builder, location, bits, value);
    Value kept = tt::BitcastOp::create(builder, location, type, arith::AndIOp::create(builder, location, raw, mask));
    Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, value, value);
    return arith::SelectOp::create(builder, location, isNan, value, kept);
  }

  tt::DotOp dot;
  Scheme scheme;
  OpBuilder builder;
  Location location;
};

struct TritonGPUSplitF32Dots : impl::TritonGPUSplitF32DotsBase<TritonGPUSplitF32Dots>, base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
    for (tt::DotOp dot : dots) {
      std::optional<Scheme> scheme = schemeOf(dot.getInputPrecision());
      auto isF32 = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementType().isF32(); };
      if (scheme && isF32(dot.getA()) && isF32(dot.getB()) && isF32(dot.getD()) && hasUnit(*target, *scheme))
        DotSplitter(dot, *scheme).run();
    }
  }

private:
  /// Whether matrix units multiply the parts. Ordinary units compute the whole product as fast.
  bool hasUnit(const gpu::TargetInfo &target, Scheme scheme) {
    Type single = Float32Type::get(&getContext()), part = scheme.isTf32 ? single : BFloat16Type::get(&getContext());
    return !target.findMatrixUnits({part, part, single, scheme.precision()}).empty();
  }
};

} // namespace

} // namespace triton::ttg

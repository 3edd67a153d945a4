// triton-separate-bases: writes addresses as a scalar base and one tensor of offsets.
#include "analysis/AddressRange.h"
#include "base/OptionalPass.h"
#include "gpu/tiles/Passes.h"
#include "ir/UniformValues.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONSEPARATEBASES
#include "gpu/tiles/Passes.h.inc"

namespace {

/// The sum of scalars and of a tensor, which is null if there is nothing else.
struct Sum {
  SmallVector<Value> scalars;
  Value lanes;
};

/// A scalar pointer and what is added to it.
struct Address {
  Value base;
  Sum offsets;
};

class Separator {
public:
  Separator(OpBuilder builder, Location loc, const analysis::AxisInfoAnalysis &axisInfo)
      : builder(builder), loc(loc), ranges(axisInfo) {}

  /// `pointers` in the new form; null if they have no scalar base or have the form already.
  Value rewrite(Value pointers) {
    if (!isa<RankedTensorType>(pointers.getType()))
      return {};
    std::optional<Address> address = findAddress(pointers);
    if (!address || (!isChanged && address->offsets.scalars.empty()))
      return {};
    for (Value scalar : address->offsets.scalars)
      address->base = tt::AddPtrOp::create(builder, loc, address->base, scalar);
    Value bases = tt::SplatOp::create(builder, loc, pointers.getType(), address->base);
    Value lanes = address->offsets.lanes;
    return lanes ? tt::AddPtrOp::create(builder, loc, bases, lanes).getResult() : bases;
  }

private:
  std::optional<Address> findAddress(Value pointers) {
    Operation *op = pointers.getDefiningOp();
    if (auto splat = dyn_cast_or_null<tt::SplatOp>(op))
      return Address{splat.getSrc(), {}};
    if (isa_and_nonnull<tt::BroadcastOp, tt::ExpandDimsOp>(op)) {
      std::optional<Address> source = findAddress(op->getOperand(0));
      if (source && source->offsets.lanes) {
        source->offsets.lanes = reshape(op, source->offsets.lanes);
        isChanged = true;
      }
      return source;
    }
    auto add = dyn_cast_or_null<tt::AddPtrOp>(op);
    std::optional<Address> address = add ? findAddress(add.getPtr()) : std::nullopt;
    if (!address)
      return std::nullopt;
    Sum offsets = split(add.getOffset());
    llvm::append_range(address->offsets.scalars, offsets.scalars);
    Value &lanes = address->offsets.lanes;
    isChanged |= lanes && offsets.lanes;
    lanes = lanes && offsets.lanes ? addWide(lanes, offsets.lanes) : lanes ? lanes : offsets.lanes;
    return address;
  }

  /// Takes scalars out of a sum. Only those that are never negative: with others, the base could lie before the array.
  /// Sums of sums share their parts, each of which is split once.
  Sum split(Value offsets) {
    if (auto found = known.find(offsets); found != known.end())
      return found->second;
    Sum sum = splitNew(offsets);
    return known[offsets] = sum;
  }

  Sum splitNew(Value offsets) {
    if (auto splat = offsets.getDefiningOp<tt::SplatOp>(); splat && isNonNegative(splat.getSrc()))
      return {{splat.getSrc()}, {}};
    Operation *op = offsets.getDefiningOp();
    if (isa_and_nonnull<tt::BroadcastOp, tt::ExpandDimsOp, arith::ExtSIOp>(op)) {
      Sum source = split(op->getOperand(0));
      if (source.scalars.empty())
        return {{}, offsets};
      if (isa<arith::ExtSIOp>(op))
        for (Value &scalar : source.scalars)
          scalar = extend(scalar, getElementTypeOrSelf(offsets));
      if (source.lanes)
        source.lanes =
            isa<arith::ExtSIOp>(op) ? extend(source.lanes, getElementTypeOrSelf(offsets)) : reshape(op, source.lanes);
      return source;
    }
    auto add = dyn_cast_or_null<arith::AddIOp>(op);
    if (!add)
      return {{}, offsets};
    Sum left = split(add.getLhs()), right = split(add.getRhs());
    llvm::append_range(left.scalars, right.scalars);
    if (left.scalars.empty() || left.scalars.size() > mostScalars)
      return {{}, offsets};
    if (left.lanes && right.lanes)
      left.lanes = arith::AddIOp::create(builder, loc, left.lanes, right.lanes);
    else if (right.lanes)
      left.lanes = right.lanes;
    // What remains shall be as good an offset as the sum was.
    if (left.lanes && !isNonNegative(left.lanes))
      return {{}, offsets};
    return left;
  }

  bool isNonNegative(Value index) { return ranges.find(index).isNonNegative(); }

  Value reshape(Operation *op, Value source) {
    auto type = cast<RankedTensorType>(op->getResultTypes().front());
    Type result = tt::withElementType(type, getElementTypeOrSelf(source));
    return builder.create(OperationState(loc, op->getName(), source, result, op->getAttrs()))->getResult(0);
  }

  Value extend(Value value, Type element) {
    Type type = tt::withElementType(value.getType(), element);
    return value.getType() == type ? value : arith::ExtSIOp::create(builder, loc, type, value).getResult();
  }

  /// The sum of offsets of any widths, which 64 bits can hold.
  Value addWide(Value left, Value right) {
    return arith::AddIOp::create(builder, loc, extend(left, builder.getI64Type()), extend(right, builder.getI64Type()));
  }

  OpBuilder builder;
  Location loc;
  static constexpr unsigned mostScalars = 16; ///< of a sum, which could repeat one of them any number of times
  analysis::IndexRanges ranges;
  llvm::DenseMap<Value, Sum> known;
  bool isChanged = false;
};

struct SeparateBases : impl::TritonSeparateBasesBase<SeparateBases>, base::OptionalPass {
  void runOnOperation() override {
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    llvm::SetVector<std::pair<Value, Value>> accesses; // pointers and mask
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<tt::LoadOp>(op))
        accesses.insert({load.getPtr(), load.getMask()});
      else if (auto store = dyn_cast<tt::StoreOp>(op))
        accesses.insert({store.getPtr(), store.getMask()});
      else if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op); atomic && atomic.getSem() == tt::MemSemantic::Relaxed)
        accesses.insert({atomic.getPtr(), atomic.getMask()});
    });
    OpBuilder builder(&getContext());
    for (auto [pointers, mask] : accesses) {
      if (!pointers.getDefiningOp() || pointers.use_empty())
        continue;
      builder.setInsertionPointAfterValue(pointers);
      Value separated = Separator(builder, pointers.getLoc(), axisInfo).rewrite(pointers);
      std::optional<analysis::AddressRange> range =
          separated ? analysis::findAddressRange(axisInfo, separated, mask) : std::nullopt;
      if (!range || !range->isSmall())
        continue;
      // Later passes know accesses of the same memory by the same value.
      auto isAccess = [](OpOperand &use) {
        return isa<tt::LoadOp, tt::StoreOp, tt::AtomicOpInterface>(use.getOwner());
      };
      pointers.replaceUsesWithIf(separated, isAccess);
    }
  }
};

} // namespace

} // namespace triton::ttg

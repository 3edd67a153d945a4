// Chooses the loads that bulk copies do through maps that the launch makes, see Passes.td.
#include "analysis/AxisInfo.h"
#include "analysis/ControlSlice.h"
#include "analysis/StoredArguments.h"
#include "base/OptionalPass.h"
#include "ir/Remarks.h"
#include "passes/tt/LaunchExpressions.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONSELECTMAPPEDLOADS
#include "passes/tt/Passes.h.inc"

namespace {

constexpr unsigned mostRank = 5;  ///< of a tensor map
constexpr int64_t fewestRows = 8, ///< that products read from shared memory
    fewestRowBytes = 16, alignment = 16;

/// Whether `value` goes to products alone, as it is or transposed.
bool isOperandOnly(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto transposed = dyn_cast<TransOp>(use.getOwner()))
      return isOperandOnly(transposed.getResult());
    return isa<DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
  });
}

bool isInLoop(Operation *load) { return load->getParentOfType<LoopLikeOpInterface>() != nullptr; }

/// Whether an iteration or an operation that follows could see what `op` waits for: other programs' memory.
bool mayAcquire(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIsVolatile();
  if (isa<StoreOp, DescriptorLoadOp, DescriptorGatherOp, DescriptorStoreOp, DescriptorScatterOp, DescriptorReduceOp,
          MappedLoadOp, AssertOp, PrintOp, FuncOp>(op))
    return false;
  if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    return atomic.getSem() == MemSemantic::Acquire || atomic.getSem() == MemSemantic::AcquireRelease;
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isMemoryEffectFree(op);
}

/// Whether some execution of `op` comes before some execution of `load`.
bool mayPrecede(Operation *op, Operation *load) {
  for (Operation *inner = op; inner; inner = inner->getParentOp()) {
    Operation *outer = inner->getBlock() ? inner->getBlock()->findAncestorOpInBlock(*load) : nullptr;
    if (!outer)
      continue;
    return inner->isBeforeInBlock(outer) || inner->getParentOfType<LoopLikeOpInterface>() || inner == outer;
  }
  return true;
}

/// What the launch needs to know of `descriptor`; none, and why in `obstacle`, where it cannot compute it, or the map
/// would break the rules of bulk copies.
std::optional<DictionaryAttr> describeMap(MakeTensorDescOp descriptor, const llvm::BitVector &stored,
                                          llvm::StringRef &obstacle) {
  auto refuse = [&](llvm::StringRef why) {
    obstacle = why;
    return std::nullopt;
  };
  Builder builder(descriptor.getContext());
  auto block = cast<TensorDescType>(descriptor.getType()).getSignlessBlockType();
  int64_t elementBytes = block.getElementTypeBitWidth() / 8;
  if (descriptor.getPadding() == PaddingOption::NaN && elementBytes == 1)
    return refuse("it pads elements of 8 bits with NaN"); // Maps know bytes, and none of them is a NaN.
  std::optional<LaunchValue> base = findLaunchValue(descriptor.getBase());
  if (!base || !base->pointer)
    return refuse("the address of its array does not follow from arguments of the kernel alone");
  if (base->divisibility % alignment != 0)
    return refuse("its array is not known to begin at a multiple of 16 bytes");
  if (stored.test(base->pointer.getArgNumber()))
    return refuse("the kernel stores through the argument that holds its array");
  SmallVector<Attribute> shape, strides;
  for (Value extent : descriptor.getShape()) {
    std::optional<LaunchValue> value = findLaunchValue(extent);
    if (!value)
      return refuse("the extents of its array do not follow from arguments of the kernel alone");
    shape.push_back(builder.getStringAttr(value->text));
  }
  for (Value stride : descriptor.getStrides().drop_back()) {
    std::optional<LaunchValue> value = findLaunchValue(stride);
    if (!value)
      return refuse("the strides of its array do not follow from arguments of the kernel alone");
    if (value->divisibility * elementBytes % alignment != 0)
      return refuse("the strides of its array are not known to be multiples of 16 bytes");
    strides.push_back(builder.getStringAttr(value->text));
  }
  SmallVector<NamedAttribute> map{builder.getNamedAttr("base", builder.getStringAttr(base->text)),
                                  builder.getNamedAttr("block", builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                                                                    block.getShape().begin(), block.getShape().end()))),
                                  builder.getNamedAttr("name", builder.getStringAttr(nameOfArgument(base->pointer))),
                                  builder.getNamedAttr("shape", builder.getArrayAttr(shape)),
                                  builder.getNamedAttr("strides", builder.getArrayAttr(strides))};
  if (descriptor.getPadding() == PaddingOption::NaN)
    map.push_back(builder.getNamedAttr("nan", builder.getUnitAttr()));
  if (descriptor.getRoundToTF32())
    map.push_back(builder.getNamedAttr("tf32", builder.getUnitAttr()));
  return builder.getDictionaryAttr(map);
}

/// A block of rows, before which there may be dimensions of extent 1.
bool hasCopiedShape(DescriptorLoadOp load) {
  auto block = cast<TensorDescType>(load.getDesc().getType()).getSignlessBlockType();
  auto result = cast<RankedTensorType>(load.getType());
  unsigned bits = block.getElementTypeBitWidth();
  llvm::ArrayRef<int64_t> shape = block.getShape();
  bool isMatrix = result.getRank() == 2 && shape.size() >= 2 && shape.size() <= mostRank &&
                  shape.take_back(2) == result.getShape() &&
                  llvm::all_of(shape.drop_back(2), [](int64_t extent) { return extent == 1; });
  return isMatrix && bits >= 8 && bits <= 32 && shape[shape.size() - 2] >= fewestRows &&
         shape.back() * int64_t(bits / 8) >= fewestRowBytes;
}

/// Whether the block begins at a multiple of 16 bytes of its rows: copies fault where it does not.
bool isAligned(DescriptorLoadOp load, const analysis::AxisInfoAnalysis &axisInfo) {
  auto block = cast<TensorDescType>(load.getDesc().getType()).getSignlessBlockType();
  analysis::AxisInfo column = axisInfo.getAxisInfo(load.getIndices().back());
  return column.axes.front().divisibility * (block.getElementTypeBitWidth() / 8) % alignment == 0;
}

struct TritonSelectMappedLoads : impl::TritonSelectMappedLoadsBase<TritonSelectMappedLoads>, base::OptionalPass {
  void runOnOperation() override {
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        select(function, axisInfo);
  }

private:
  struct Candidate {
    DescriptorLoadOp load;
    DictionaryAttr map;
  };

  void select(FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) {
    SmallVector<Candidate> candidates = findCandidates(function, axisInfo);
    if (llvm::none_of(candidates, [](Candidate &candidate) { return isInLoop(candidate.load); }))
      return reportAll(candidates, "no such load is in a loop", nullptr);
    SmallVector<Operation *> targets;
    for (Candidate &candidate : candidates)
      targets.push_back(candidate.load);
    llvm::BitVector stored = analysis::findStoredArguments(function);
    auto mayRepeat = [&](Operation *op) {
      auto load = dyn_cast<LoadOp>(op);
      std::optional<LaunchValue> pointer = load ? findPointerArgument(load.getPtr()) : std::nullopt;
      return pointer && !load.getIsVolatile() && !stored.test(pointer->pointer.getArgNumber());
    };
    if (analysis::ControlSlice slice(function, targets, mayRepeat); slice.obstacle())
      return reportAll(candidates, "another warp cannot compute what decides which block is loaded", slice.obstacle());
    for (Candidate &candidate : candidates) {
      OpBuilder builder(candidate.load);
      auto mapped = MappedLoadOp::create(builder, candidate.load.getLoc(), candidate.load.getType(), candidate.map,
                                         candidate.load.getIndices());
      candidate.load.replaceAllUsesWith(mapped.getResult());
      candidate.load.erase();
    }
  }

  /// The loads that copies can do; says of the other accesses of descriptors why they are left.
  static SmallVector<Candidate> findCandidates(FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) {
    llvm::BitVector stored = analysis::findStoredArguments(function);
    SmallVector<Operation *> acquiring;
    function.walk([&](Operation *op) {
      if (mayAcquire(op))
        acquiring.push_back(op);
    });
    SmallVector<Candidate> candidates;
    function.walk([&](DescriptorLoadOp load) {
      llvm::StringRef obstacle;
      auto descriptor = load.getDesc().getDefiningOp<MakeTensorDescOp>();
      auto *before = llvm::find_if(acquiring, [&](Operation *op) { return mayPrecede(op, load); });
      if (!descriptor)
        report(load, "its descriptor is not the same at each execution", nullptr);
      else if (!hasCopiedShape(load))
        report(load, "maps do not describe blocks of this shape and element type", nullptr);
      else if (!isOperandOnly(load.getResult()))
        report(load, "not only products use the block", nullptr);
      else if (!isAligned(load, axisInfo))
        report(load, "the block is not known to begin at a multiple of 16 bytes of its rows", nullptr);
      else if (before != acquiring.end())
        report(load, "this may wait for what other programs do, and the copies run ahead", *before);
      else if (std::optional<DictionaryAttr> map = describeMap(descriptor, stored, obstacle))
        candidates.push_back({load, *map});
      else
        report(load, obstacle, nullptr);
    });
    if (remarks::areWanted(function))
      reportOthers(function);
    return candidates;
  }

  static void reportOthers(FuncOp function) {
    function.walk([](Operation *op) {
      auto load = dyn_cast<LoadOp>(op);
      if (isa<DescriptorStoreOp, DescriptorReduceOp, DescriptorGatherOp, DescriptorScatterOp>(op))
        report(op, "only loads for products are bulk copies", nullptr);
      else if (load && isOperandOnly(load.getResult()) && isInLoop(load))
        remarks::missed(load, remarks::access, "BulkCopy")
            << "no warp of its own loads the operand" << remarks::reason("it is loaded through pointers")
            << remarks::suggest("blocks of `tl.make_tensor_descriptor` are bulk copies, which such a warp starts");
    });
  }

  /// Says why `access` is no bulk copy, and where `cause` lies, which may be null.
  static void report(Operation *access, llvm::StringRef obstacle, Operation *cause) {
    remarks::InFlightRemark remark = remarks::missed(access, remarks::access, "BulkCopy");
    remark << "the block of the tensor descriptor is accessed through pointers" << remarks::reason("{0}", obstacle);
    if (remark && cause)
      remark << remarks::Fact("Cause", Attribute(cause->getLoc()));
  }

  static void reportAll(llvm::ArrayRef<Candidate> candidates, llvm::StringRef obstacle, Operation *cause) {
    for (const Candidate &candidate : candidates)
      report(candidate.load, obstacle, cause);
  }
};

} // namespace

} // namespace triton::tt

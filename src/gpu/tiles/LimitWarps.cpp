// Keeps programs on small tensors from using more warps than pay, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"
#include "gpu/target/TargetInfo.h"
#include "gpu/tiles/Passes.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPULIMITWARPS
#include "gpu/tiles/Passes.h.inc"

namespace {

/// Operations whose result depends on the number of threads, or for which threads are worth more than wide accesses.
bool needsAllWarps(Operation *op) {
  return isa<tt::DotOp, tt::DotScaledOp, tt::ElementwiseInlineAsmOp, tt::MapElementwiseOp, tt::AtomicOpInterface>(op);
}

/// The bits of a tensor of numbers. Indices, masks, pointers and copies of one number are computed where they are
/// needed.
int64_t bitsOf(Value value) {
  if (value.getDefiningOp() && isa<tt::SplatOp, arith::ConstantOp>(value.getDefiningOp()))
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa<FloatType>(tensor.getElementType()) ? tensor.getNumElements() * tensor.getElementTypeBitWidth()
                                                           : 0;
}

/// The maximal number of bits of tensors that are alive at once in a block, while `around` bits are alive outside of
/// it.
int64_t peakBits(Block &block, int64_t around) {
  llvm::SmallPtrSet<Value, 16> live;
  int64_t bits = around, peak = around;
  auto use = [&](Value value) {
    if (live.insert(value).second)
      bits += bitsOf(value);
  };
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      if (live.erase(result))
        bits -= bitsOf(result);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    llvm::for_each(captured, use);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        peak = std::max(peak, peakBits(inner, bits));
    llvm::for_each(op.getOperands(), use);
    peak = std::max(peak, bits);
  }
  return peak;
}

/// Whether a loop carries tensors that an operation of which `isSought` is true computes from those of the iteration
/// before.
bool hasRecurrence(scf::ForOp loop, llvm::function_ref<bool(Operation *)> isSought) {
  llvm::DenseMap<Value, bool> carried; // what depends on the iteration before, and whether by such an operation
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (bitsOf(argument) != 0)
      carried[argument] = false;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Value operand : op.getOperands())
      if (auto found = carried.find(operand); found != carried.end()) {
        bool isFound = found->second || isSought(&op);
        for (Value result : op.getResults())
          carried[result] |= isFound;
      }
  return llvm::any_of(loop.getYieldedValues(), [&](Value value) { return carried.lookup(value); });
}

/// The work of a program, as far as it decides on how many warps it runs well.
struct Work {
  int64_t widest = 1;       ///< elements of the widest access
  int64_t vectors = 1;      ///< the maximal number of instructions of an access, over all threads
  int64_t elements = 1;     ///< of the largest tensor
  int64_t bytes = 0;        ///< of the largest access
  int64_t liveBits = 0;     ///< the maximum that tensors take at once
  bool isCombining = false; ///< it reduces or scans, for which each warp adds steps
  /// Its iterations wait for one another's costly operations, and a thread's elements for each other's turn on the
  /// unit.
  bool isRecurrent = false;
  bool carriesCombination = false; ///< its iterations wait for what those before combine of all threads
  unsigned schedulers;             ///< of a multiprocessor, each for its own warps

  Work(ModuleOp module, const gpu::Machine &machine) : schedulers(machine.schedulers) {
    analysis::AxisInfoAnalysis axisInfo(module);
    for (const GlobalAccess &access : findGlobalAccesses(module, axisInfo, machine)) {
      int64_t count = access.pointers.getNumElements();
      widest = std::max(widest, access.width);
      vectors = std::max(vectors, count / access.width);
      bytes = std::max(bytes, count * analysis::getPointeeBytes(access.pointers));
    }
    module.walk([&](Operation *op) {
      isCombining |= isa<tt::ReduceOp, tt::ScanOp>(op);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        noteRecurrences(loop);
      for (Type type : op->getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          elements = std::max(elements, tensor.getNumElements());
    });
    for (auto function : module.getOps<FunctionOpInterface>())
      for (Block &block : function.getFunctionBody())
        liveBits = std::max(liveBits, peakBits(block, 0));
  }

  void noteRecurrences(scf::ForOp loop) {
    isRecurrent |= hasRecurrence(loop, analysis::isCostly);
    carriesCombination |= hasRecurrence(loop, [](Operation *op) { return isa<tt::ReduceOp, tt::ScanOp>(op); });
  }

  /// Whether this many threads are as good as more.
  bool isDoneBy(int64_t threads, unsigned warps) const {
    if (isRecurrent && warps < schedulers)
      return false; // Few such programs hide the latency of one another.
    // Warps that wait for one another in each iteration take longer than one that does the work of all.
    if (carriesCombination && widest > 1 && elements <= threads * tuned::elementsOfRecurrentThread)
      return true;
    // No thread has more than one vector of any tensor, so with more threads each would have less than one.
    if (vectors <= threads && elements <= threads * widest)
      return true;
    return isCombining && warps >= schedulers && widest > 1 && bytes <= threads * tuned::bytesOfCombiningThread &&
           elements <= threads * tuned::elementsOfCombiningThread && liveBits <= threads * tuned::bitsOfCombiningThread;
  }
};

struct TritonGPULimitWarps : impl::TritonGPULimitWarpsBase<TritonGPULimitWarps>, base::OptionalPass {
  using TritonGPULimitWarpsBase::TritonGPULimitWarpsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(tt::fixedWarpsAttribute) ||
        module.walk([](Operation *op) { return needsAllWarps(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted())
      return;
    const gpu::TargetInfo *info = gpu::findTarget(module.getLoc(), target);
    if (!info)
      return signalPassFailure();
    Work work(module, info->machine());
    unsigned warps = numWarps, lanes = info->machine().lanes;
    while (work.widest > 1 && warps > 1 && work.isDoneBy(int64_t(warps / 2) * lanes, warps / 2))
      warps /= 2;
    if (warps == numWarps)
      return;
    module->setAttr(warpLimitAttribute, Builder(module.getContext()).getI32IntegerAttr(int32_t(warps)));
    for (auto function : module.getOps<FunctionOpInterface>())
      remarks::decided(function, remarks::program, "Warps")
          << remarks::add("{0} warps run instead of {1}", warps, unsigned(numWarps))
          << remarks::reason("each thread then moves a whole vector of every tensor") << remarks::metric("warps", warps)
          << remarks::metric("requested", unsigned(numWarps));
  }
};

} // namespace

} // namespace triton::ttg

// Says in remarks what a program moves and computes, see Passes.td.
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/analysis/GlobalTraffic.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/layouts/Passes.h"
#include "ir/Remarks.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUREPORTWORK
#include "gpu/layouts/Passes.h.inc"

namespace {

using analysis::WidthLimit;
using remarks::Fact;

/// The loop around `op`, where there is one.
void addLoop(remarks::InFlightRemark &remark, Operation *op) {
  if (auto loop = op->getParentOfType<LoopLikeOpInterface>())
    remark << Fact("loop", Attribute(loop->getLoc()));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Why an access is narrow, and what helps.
struct Reason {
  std::string text;
  llvm::StringRef help;
};

Reason explainWidth(WidthLimit limit, const analysis::AxisInfo &info, unsigned elements, unsigned elementBytes) {
  switch (limit) {
  case WidthLimit::Contiguity:
    return {
        elements == 1 ? "neighbouring elements are not known to be neighbours in memory"
                      : llvm::formatv("only {0} elements are known to be neighbours in memory", elements).str(),
        "a stride that is always 1 can be a `tl.constexpr`; `tl.max_contiguous` states what the compiler cannot see"};
  case WidthLimit::Alignment: {
    int64_t alignment = elementBytes;
    for (const analysis::AxisFacts &facts : info.axes)
      alignment = std::max(alignment, facts.divisibility);
    return {llvm::formatv("addresses are only known to be multiples of {0} bytes", alignment),
            "arrays, strides and offsets that are multiples of 16 are known as such; `tl.multiple_of` states others"};
  }
  case WidthLimit::Mask:
    return {elements == 1
                ? "neighbouring elements are not known to be masked alike"
                : llvm::formatv("only {0} neighbouring elements are known to be masked alike", elements).str(),
            "sizes that are multiples of 16 are known as such, and masks by comparison with them are alike for 16 "
            "elements"};
  case WidthLimit::Layout:
    return {
        llvm::formatv("the layout gives a thread only {0} neighbouring element{1}", elements, elements == 1 ? "" : "s"),
        ""};
  case WidthLimit::None:
    break;
  }
  return {};
}

class AccessReporter {
public:
  AccessReporter(const analysis::AxisInfoAnalysis &axisInfo, const gpu::Machine &machine)
      : axisInfo(axisInfo), machine(machine) {}

  void report(Operation *op, llvm::StringRef kind, Value pointers, Value mask) {
    auto type = dyn_cast<RankedTensorType>(pointers.getType());
    if (!type || !type.getEncoding())
      return;
    analysis::GlobalTraffic traffic = analysis::findGlobalTraffic(axisInfo, pointers, mask, machine);
    reportTraffic(op, kind, type, traffic);
    reportWidth(op, kind, pointers, traffic);
    if (traffic.usedPart() < leastUsedPart)
      remarks::missed(op, remarks::access, "Coalesce")
          << remarks::add("the {0} uses {1} % of the memory that it touches", kind, int(traffic.usedPart() * 100))
          << remarks::reason("the elements of a warp lie in {0} sectors of {1} bytes, where {2} would hold them",
                             traffic.sectors, machine.sectorBytes, traffic.leastSectors);
  }

private:
  static constexpr double leastUsedPart = 0.5;

  /// In Gluon, kernels choose the layouts.
  static bool isLayoutOfKernel(Operation *op) { return op->getParentOfType<ModuleOp>()->hasAttr(ownWaitsAttribute); }

  void reportTraffic(Operation *op, llvm::StringRef kind, RankedTensorType type,
                     const analysis::GlobalTraffic &traffic) {
    remarks::InFlightRemark remark = remarks::found(op, remarks::access, "Traffic");
    if (!remark)
      return;
    Builder builder(op->getContext());
    remark << Fact("kind", kind) << Fact("shape", Attribute(builder.getI64ArrayAttr(type.getShape())))
           << Fact("element", cast<tt::PointerType>(type.getElementType()).getPointeeType())
           << Fact("encoding", type.getEncoding()) << Fact("bytes", type.getNumElements() * traffic.elementBytes)
           << Fact("bytes_of_thread", traffic.bytesOfThread()) << Fact("requests", traffic.requests)
           << Fact("sectors", traffic.sectors) << Fact("least_sectors", traffic.leastSectors);
    addLoop(remark, op);
  }

  /// An access is as wide as it can be where a thread has no more, too.
  void reportWidth(Operation *op, llvm::StringRef kind, Value pointers, const analysis::GlobalTraffic &traffic) {
    unsigned held = getElementsPerThread(pointers.getType()) * traffic.elementBytes;
    unsigned possible = std::min(held, machine.accessBytes);
    if (traffic.bytesOfThread() >= possible)
      return;
    remarks::InFlightRemark remark = remarks::missed(op, remarks::access, "Width");
    if (!remark)
      return;
    Reason reason =
        explainWidth(traffic.width.limit, axisInfo.getAxisInfo(pointers), traffic.width.elements, traffic.elementBytes);
    remark << remarks::add("the {0} moves {1} bytes of a thread at once where {2} are possible", kind,
                           traffic.bytesOfThread(), possible)
           << remarks::reason("{0}", reason.text);
    if (!reason.help.empty())
      remark << remarks::suggest("{0}", reason.help);
    else if (isLayoutOfKernel(op))
      remark << remarks::suggest("let `size_per_thread` and `order` of the layout follow the dimension along which "
                                 "memory runs, or use `ttgl.CoalescedLayout()`");
  }

  const analysis::AxisInfoAnalysis &axisInfo;
  const gpu::Machine &machine;
};

/// A copy of a whole block, which no thread does by itself.
void reportBulkCopy(Operation *op, llvm::StringRef kind, Value block) {
  remarks::InFlightRemark remark = remarks::found(op, remarks::access, "Traffic");
  if (!remark)
    return;
  auto type = cast<RankedTensorType>(block.getType());
  remark << Fact("kind", kind) << Fact("shape", Attribute(Builder(op->getContext()).getI64ArrayAttr(type.getShape())))
         << Fact("element", type.getElementType())
         << Fact("bytes", type.getNumElements() * type.getElementTypeBitWidth() / 8);
  addLoop(remark, op);
}

void reportAccess(Operation *op, AccessReporter &reporter) {
  if (auto copy = dyn_cast<tt::MappedLoadOp>(op))
    reportBulkCopy(copy, "bulk copy", copy.getResult());
  else if (auto copy = dyn_cast<tt::MappedStoreOp>(op))
    reportBulkCopy(copy, copy.getKind() ? "bulk reduction" : "bulk store", copy.getSrc());
  else if (auto load = dyn_cast<tt::LoadOp>(op))
    reporter.report(op, "load", load.getPtr(), load.getMask());
  else if (auto store = dyn_cast<tt::StoreOp>(op))
    reporter.report(op, "store", store.getPtr(), store.getMask());
  else if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op))
    reporter.report(op, "copy", copy.getSrc(), copy.getMask());
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

llvm::StringRef nameOf(analysis::ConversionPlan::Kind kind) {
  switch (kind) {
  case analysis::ConversionPlan::Kind::Registers:
    return "registers";
  case analysis::ConversionPlan::Kind::Shuffles:
    return "shuffles";
  case analysis::ConversionPlan::Kind::Shared:
    return "shared memory";
  }
  llvm_unreachable("all kinds are listed");
}

void reportConversion(ConvertLayoutOp op, const gpu::Machine &machine) {
  remarks::InFlightRemark remark = remarks::found(op, remarks::conversion, "Conversion");
  if (!remark)
    return;
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  analysis::ConversionPlan plan = analysis::planConversion(op);
  remark << Fact("shape", Attribute(Builder(op.getContext()).getI64ArrayAttr(from.getShape())))
         << Fact("element", from.getElementType()) << Fact("from", from.getEncoding()) << Fact("to", to.getEncoding())
         << Fact("by", nameOf(plan.kind)) << Fact("scratch_bytes", plan.scratchBytes)
         << Fact("clocks", analysis::conversionCost(from, from.getEncoding(), to.getEncoding(), machine));
  addLoop(remark, op);
}

//===----------------------------------------------------------------------===//
// Loops and functions
//===----------------------------------------------------------------------===//

void addWork(remarks::InFlightRemark &remark, const analysis::Work &work, const gpu::Machine &machine) {
  analysis::Bound bound = analysis::findBound(work, machine);
  remark << Fact("loaded_bytes", work.loadedBytes) << Fact("stored_bytes", work.storedBytes)
         << Fact("atomic_bytes", work.atomicBytes) << Fact("product_flops", int64_t(work.productFlops))
         << Fact("other_flops", int64_t(work.otherFlops)) << Fact("matrix_clocks", work.matrixClocks)
         << Fact("ordinary_clocks", work.ordinaryClocks) << Fact("shared_clocks", work.sharedClocks)
         << Fact("memory_clocks", bound.memoryClocks) << Fact("clocks", bound.clocks) << Fact("bound", bound.part);
  if (bound.neededReuse > 0)
    remark << Fact("needed_reuse", bound.neededReuse) << Fact("clocks_with_reuse", bound.clocksWithReuse)
           << Fact("bound_with_reuse", bound.partWithReuse);
}

/// Each loop by itself, so that what is inside of it is part of it only where its iterations are known.
void reportTree(const analysis::WorkTree &tree, const gpu::Machine &machine) {
  for (const analysis::WorkTree &loop : tree.loops) {
    if (remarks::InFlightRemark remark = remarks::found(loop.op, remarks::loop, "Work")) {
      if (loop.iterations)
        remark << Fact("iterations", *loop.iterations);
      std::optional<analysis::Work> work = loop.ofIteration();
      remark << Fact("holds_unknown_loops", !work);
      addWork(remark, work.value_or(loop.own), machine);
      addLoop(remark, loop.op);
    }
    reportTree(loop, machine);
  }
}

void reportFunction(FunctionOpInterface function, const analysis::AxisInfoAnalysis &axisInfo,
                    const gpu::Machine &machine) {
  analysis::WorkTree tree = analysis::summarizeWork(function, axisInfo);
  if (remarks::InFlightRemark remark = remarks::found(function, remarks::program, "Work")) {
    std::optional<analysis::Work> work = tree.ofIteration();
    remark << Fact("name", function.getName()) << Fact("holds_unknown_loops", !work);
    addWork(remark, work.value_or(tree.own), machine);
  }
  reportTree(tree, machine);
}

struct TritonGPUReportWork : impl::TritonGPUReportWorkBase<TritonGPUReportWork> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (!remarks::areWanted(getOperation()))
      return;
    const gpu::Machine &machine = target->machine();
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    AccessReporter accesses(axisInfo, machine);
    getOperation().walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      function.walk([&](Operation *op) {
        reportAccess(op, accesses);
        if (auto conversion = dyn_cast<ConvertLayoutOp>(op))
          reportConversion(conversion, machine);
      });
      reportFunction(function, axisInfo, machine);
    });
  }
};

} // namespace

} // namespace triton::ttg

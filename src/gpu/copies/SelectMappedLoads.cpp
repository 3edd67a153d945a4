// Chooses the loads that bulk copies do through maps that the launch makes, see Passes.td.
#include "analysis/ControlSlice.h"
#include "analysis/ExclusiveBlocks.h"
#include "analysis/MemoryUse.h"
#include "analysis/StoredArguments.h"
#include "base/OptionalPass.h"
#include "gpu/analysis/Budget.h"
#include "gpu/copies/DescriptorMaps.h"
#include "gpu/copies/LaunchExpressions.h"
#include "gpu/copies/OperandLoads.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/SecondProgram.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONSELECTMAPPEDLOADS
#include "gpu/copies/Passes.h.inc"

namespace {

/// Whether all products that use `value` round its elements to tf32.
bool isRounded(Value value) {
  return getElementTypeOrSelf(value).isF32() && llvm::all_of(value.getUsers(), [](Operation *user) {
           if (auto transposed = dyn_cast<tt::TransOp>(user))
             return isRounded(transposed.getResult());
           auto dot = dyn_cast<tt::DotOp>(user);
           return dot && dot.getInputPrecision() == tt::InputPrecision::TF32;
         });
}

/// The map for `load` through `descriptor`; none, and why in `obstacle`, where the launch cannot make it. Copies round
/// what products would round, and what units would otherwise truncate where no thread sees it.
std::optional<DictionaryAttr> describeLoad(tt::DescriptorLoadOp load, tt::MakeTensorDescOp descriptor,
                                           const llvm::BitVector &stored, llvm::StringRef &obstacle) {
  bool padsWithNaN = descriptor.getPadding() == tt::PaddingOption::NaN;
  if (padsWithNaN &&
      cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType().getElementTypeBitWidth() == 8) {
    obstacle = "it pads elements of 8 bits with NaN"; // Maps know bytes, and none of them is a NaN.
    return std::nullopt;
  }
  std::optional<DescriptorMap> described = describeMap(descriptor, MapAlignment::Analyzed, obstacle);
  if (!described)
    return std::nullopt;
  if (stored.test(described->base.getArgNumber())) {
    obstacle = "the kernel stores through the argument that holds its array";
    return std::nullopt;
  }
  Builder builder(descriptor.getContext());
  NamedAttrList map(described->map);
  if (padsWithNaN)
    map.set("nan", builder.getUnitAttr());
  if (descriptor.getRoundToTF32() || isRounded(load.getResult()))
    map.set("tf32", builder.getUnitAttr());
  return map.getDictionary(descriptor.getContext());
}

/// Bytes of shared memory that hold one block of each load. As rings do later, loads of equal blocks share them where
/// only one of them runs at a time.
uint64_t countBytes(llvm::ArrayRef<tt::DescriptorLoadOp> loads) {
  SmallVector<SmallVector<tt::DescriptorLoadOp>> rings;
  uint64_t bytes = 0;
  for (tt::DescriptorLoadOp load : loads) {
    auto *shared = llvm::find_if(rings, [&](llvm::ArrayRef<tt::DescriptorLoadOp> ring) {
      return llvm::all_of(ring, [&](tt::DescriptorLoadOp other) {
        return other.getType() == load.getType() &&
               analysis::excludeEachOther(tt::DescriptorLoadOp(other)->getBlock(), load->getBlock());
      });
    });
    if (shared != rings.end()) {
      shared->push_back(load);
      continue;
    }
    rings.push_back({load});
    auto type = cast<RankedTensorType>(load.getType());
    bytes += uint64_t(type.getNumElements() * type.getElementTypeBitWidth() / 8);
  }
  return bytes;
}

struct TritonSelectMappedLoads : impl::TritonSelectMappedLoadsBase<TritonSelectMappedLoads>, base::OptionalPass {
  using TritonSelectMappedLoadsBase::TritonSelectMappedLoadsBase;

  void runOnOperation() override {
    if (!target.empty()) {
      const gpu::TargetInfo *info = gpu::findTarget(getOperation().getLoc(), target);
      if (!info)
        return signalPassFailure();
      machine = &info->machine();
    }
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        select(function, axisInfo);
  }

private:
  const gpu::Machine *machine = nullptr; ///< null: no machine is known

  struct Candidate {
    tt::DescriptorLoadOp load;
    DictionaryAttr map;
  };

  static bool isDescribed(const Candidate &candidate) {
    return tt::DescriptorLoadOp(candidate.load)->hasAttr(pointersAttribute);
  }

  void select(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) const {
    SmallVector<DescribedLoad> described = findDescribedLoads(function);
    SmallVector<Candidate> candidates = findCandidates(function, axisInfo);
    bool isPossible = std::size_t(llvm::count_if(candidates, isDescribed)) == described.size();
    if (!isPossible)
      reportAll(candidates, "threads must load another operand in a loop", nullptr, /*onlyDescribed=*/true);
    else if (!candidates.empty())
      isPossible = !findObstacle(function, candidates, /*reportsDescribed=*/!described.empty());
    if (!isPossible && !described.empty()) {
      llvm::erase_if(candidates, isDescribed);
      for (const DescribedLoad &load : described)
        load.keepPointers();
      described.clear();
      isPossible = !candidates.empty() && !findObstacle(function, candidates, /*reportsDescribed=*/false);
    }
    if (!isPossible)
      return;
    for (const DescribedLoad &load : described)
      load.dropPointers();
    for (Candidate &candidate : candidates)
      replace(candidate);
  }

  static void replace(const Candidate &candidate) {
    tt::DescriptorLoadOp load = candidate.load;
    OpBuilder builder(load);
    auto mapped = tt::MappedLoadOp::create(builder, load.getLoc(), load.getType(), candidate.map, load.getIndices());
    if (load->hasAttr(tt::allBlocksAttribute))
      mapped->setAttr(tt::allBlocksAttribute, builder.getUnitAttr());
    load.replaceAllUsesWith(mapped.getResult());
    load.erase();
  }

  /// Whether copies cannot do these loads together, which it reports: of those that pointers describe, or of all.
  bool findObstacle(tt::FuncOp function, llvm::ArrayRef<Candidate> candidates, bool reportsDescribed) const {
    auto refuse = [&](llvm::StringRef obstacle, Operation *cause) {
      reportAll(candidates, obstacle, cause, reportsDescribed);
      return true;
    };
    auto loads = llvm::map_to_vector(candidates, [](const Candidate &candidate) { return candidate.load; });
    if (llvm::none_of(loads, [](tt::DescriptorLoadOp load) { return isInLoop(load); }))
      return refuse("no such load is in a loop", nullptr);
    if (sharedBytes != 0 && int64_t(countBytes(loads)) > Budget::bytesOfBlocks(sharedBytes))
      return refuse("shared memory does not hold one block of each such load", nullptr);
    SmallVector<Operation *> targets(loads.begin(), loads.end());
    if (machine && moverCostsProgram(function, targets, *machine, numWarps, numStages))
      return refuse("a producer warp would take the registers of a second program on the multiprocessor", nullptr);
    llvm::BitVector stored = analysis::findStoredArguments(function);
    auto mayRepeat = [&](Operation *op) {
      auto load = dyn_cast<tt::LoadOp>(op);
      std::optional<LaunchValue> pointer = load ? findPointerArgument(load.getPtr()) : std::nullopt;
      return pointer && !load.getIsVolatile() && !stored.test(pointer->pointer.getArgNumber());
    };
    if (analysis::ControlSlice slice(function, targets, mayRepeat); slice.obstacle())
      return refuse("another warp cannot compute what decides which block is loaded", slice.obstacle());
    return false;
  }

  /// The loads that copies can do; says of the other accesses of descriptors why they are left.
  static SmallVector<Candidate> findCandidates(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) {
    llvm::BitVector stored = analysis::findStoredArguments(function);
    SmallVector<Operation *> acquiring; // An iteration or a later operation could see other programs' memory.
    function.walk([&](Operation *op) {
      if (analysis::getMemoryUse(op).acquires)
        acquiring.push_back(op);
    });
    SmallVector<Candidate> candidates;
    function.walk([&](tt::DescriptorLoadOp load) {
      llvm::StringRef obstacle;
      auto descriptor = load.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
      auto *before = llvm::find_if(acquiring, [&](Operation *op) { return mayPrecede(op, load); });
      if (!descriptor)
        report(load, "its descriptor is not the same at each execution", nullptr);
      else if (!hasCopiedShape(load.getDesc(), cast<RankedTensorType>(load.getType())))
        report(load, "maps do not describe blocks of this shape and element type", nullptr);
      else if (!isOperandOnly(load.getResult()))
        report(load, "not only products use the block", nullptr);
      else if (!beginsAligned(load.getDesc(), load.getIndices(), axisInfo))
        report(load, "the block is not known to begin at a multiple of 16 bytes of its rows", nullptr);
      else if (before != acquiring.end())
        report(load, "this may wait for what other programs do, and the copies run ahead", *before);
      else if (std::optional<DictionaryAttr> map = describeLoad(load, descriptor, stored, obstacle))
        candidates.push_back({load, *map});
      else
        report(load, obstacle, nullptr);
    });
    if (remarks::areWanted(function))
      reportOthers(function);
    return candidates;
  }

  static void reportOthers(tt::FuncOp function) {
    function.walk([](Operation *op) {
      if (isa<tt::DescriptorReduceOp, tt::DescriptorGatherOp, tt::DescriptorScatterOp>(op))
        reportPointers(op, "only loads for products, and stores, are bulk copies (TMA)", nullptr);
    });
  }

  static void report(tt::DescriptorLoadOp load, llvm::StringRef obstacle, Operation *cause) {
    if (load->hasAttr(pointersAttribute))
      reportThreads(load, obstacle, cause);
    else
      reportPointers(load, obstacle, cause);
  }

  static void reportAll(llvm::ArrayRef<Candidate> candidates, llvm::StringRef obstacle, Operation *cause,
                        bool onlyDescribed) {
    for (const Candidate &candidate : candidates)
      if (!onlyDescribed || isDescribed(candidate))
        report(candidate.load, obstacle, cause);
  }
};

} // namespace

} // namespace triton::ttg

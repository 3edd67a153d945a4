// Lets a warp of its own move data for the warps that compute, see Passes.td.
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/RingRemarks.h"
#include "gpu/copies/CopyRings.h"
#include "gpu/copies/MoverCode.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/RingPositions.h"
#include "gpu/copies/TensorMaps.h"
#include "gpu/target/TargetInfo.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSPECIALIZEWARPS
#include "gpu/copies/Passes.h.inc"

namespace {

/// A ring with its place in shared memory.
struct PlacedRing {
  CopyRing plan;
  SmallVector<Value> storage; ///< one for each load of a site
  Value full, empty;          ///< barriers, one for each slot
  bool isShared = false;      ///< other blocks copy into it, too
};

class Specializer {
public:
  Specializer(tt::FuncOp function, const WarpRoles &warps)
      : function(function), warps(warps), blocks(tt::getBlocks(function)), builder(function), maps(function) {}

  /// Everything is known to be possible: `tt.mapped_load` says that a slice exists. False where it is not.
  bool run(SmallVector<CopyRing> plans) {
    builder.setInsertionPointToStart(&function.getBody().front());
    for (CopyRing &plan : plans)
      place(std::move(plan));
    BarrierOp start = BarrierOp::create(builder, function.getLoc(), /*allWarps=*/true);
    for (PlacedRing &ring : rings)
      exchange(ring);
    eraseHints();
    // Rings are there before the warps part.
    analysis::ControlSlice slice(function, moves, [](Operation *op) { return isa<tt::LoadOp, LocalAllocOp>(op); });
    if (slice.obstacle()) {
      slice.obstacle()->emitError() << "what a bulk copy needs cannot be computed by another warp: " << slice.reason();
      return false;
    }
    builder.setInsertionPointAfter(start);
    if (sharesCopies)
      ClusterBarrierOp::create(builder, loc()); // Barriers of all blocks are there before the first copy.
    split(start, slice);
    return true;
  }

private:
  Location loc() { return function.getLoc(); }

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc(), value, 32); }

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  void place(CopyRing plan) {
    PlacedRing ring{std::move(plan), {}, {}, {}};
    for (MemDescType slot : ring.plan.types)
      ring.storage.push_back(createRing(slot, ring.plan.slots));
    for (const CopySite &site : ring.plan.sites)
      for (auto [load, type] : llvm::zip_equal(site.loads, ring.plan.types))
        ring.isShared |= isShared(load, type);
    sharesCopies |= ring.isShared;
    ring.full = createBarriers(ring.plan.slots, 1);
    ring.empty = createBarriers(ring.plan.slots, warps.computing * (ring.isShared ? blocks : 1));
    rings.push_back(std::move(ring));
  }

  /// Whether the blocks that run the program share the copies of `load`, which all of them need.
  bool isShared(tt::MappedLoadOp load, MemDescType type) const {
    return blocks > 1 && load->hasAttr(tt::allBlocksAttribute) && TensorMaps::canShare(type, blocks);
  }

  Value createRing(MemDescType slot, int64_t slots) {
    SmallVector<int64_t> shape{slots};
    llvm::append_range(shape, slot.getShape());
    return LocalAllocOp::create(builder, loc(),
                                MemDescType::get(slot.getContext(), shape, slot.getElementType(), slot.getEncoding(),
                                                 slot.getMemorySpace(), /*mutableMemory=*/true),
                                Value());
  }

  Value createBarriers(int64_t slots, unsigned count) {
    MLIRContext *context = function.getContext();
    barrierType =
        MemDescType::get(context, {1}, builder.getI64Type(), SwizzledSharedEncodingAttr::get(context, 1, 1, 1, {0u}),
                         SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
    Value barriers = createRing(barrierType, slots);
    InitBarrierOp::create(builder, loc(), barriers, int32_t(count));
    return barriers;
  }

  //===--------------------------------------------------------------------===//
  // The two sides of an exchange, both where the loads were
  //===--------------------------------------------------------------------===//

  void exchange(PlacedRing &ring) {
    builder.setInsertionPointAfterValue(ring.empty);
    SmallVector<Value> positions = carryPositions(function, ring.plan, constant(0));
    for (auto [site, position] : llvm::zip_equal(ring.plan.sites, positions))
      exchange(ring, site, position);
  }

  void exchange(PlacedRing &ring, CopySite &site, Value position) {
    Location at = site.loads.front().getLoc();
    builder.setInsertionPoint(site.loads.front());
    Value slots = constant(ring.plan.slots);
    Value isSecond = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::sge, position, slots);
    Value wrapped = arith::SubIOp::create(builder, at, position, slots);
    Value slot = arith::SelectOp::create(builder, at, isSecond, wrapped, position);
    Value parity = arith::ExtUIOp::create(builder, at, builder.getI32Type(), isSecond);
    fill(ring, site, slot, parity);
    builder.setInsertionPoint(site.findFirstUse()); // What stands between needs not wait.
    WaitBarrierOp::create(builder, at, viewOf(ring.full, barrierType, slot), parity);
    SmallVector<Value> views;
    for (auto [storage, type] : llvm::zip_equal(ring.storage, ring.plan.types))
      views.push_back(viewOf(storage, type, slot));
    builder.setInsertionPointAfter(site.findLastUse());
    ArriveBarrierOp::create(builder, at, viewOf(ring.empty, barrierType, slot), Value(), views, ring.isShared,
                            /*count=*/IntegerAttr());
    for (auto [load, view] : llvm::zip_equal(site.loads, views))
      replaceLoad(load, view);
  }

  Value viewOf(Value ring, MemDescType type, Value slot) {
    return MemDescIndexOp::create(builder, ring.getLoc(), type, ring, slot);
  }

  /// What the mover does.
  void fill(PlacedRing &ring, CopySite &site, Value slot, Value parity) {
    Location at = site.loads.front().getLoc();
    Value before = arith::XOrIOp::create(builder, at, parity, constant(1));
    moves.push_back(WaitBarrierOp::create(builder, at, viewOf(ring.empty, barrierType, slot), before));
    Value full = viewOf(ring.full, barrierType, slot);
    moves.push_back(ExpectBytesOp::create(builder, at, full, int32_t(ring.plan.slotBytes())));
    // Offsets of all loads of the site are known where the last of them stood.
    OpBuilder::InsertionGuard guard(builder);
    for (auto [load, storage, type] : llvm::zip_equal(site.loads, ring.storage, ring.plan.types)) {
      Value view = viewOf(storage, type, slot);
      builder.setInsertionPoint(site.loads.back());
      bool shares = isShared(load, type);
      Value map = maps.get(load.getMap(), type, load.getLoc(), shares ? blocks : 1);
      moves.push_back(AsyncMappedLoadOp::create(builder, load.getLoc(), map, load.getIndices(), view, full, shares));
      builder.setInsertionPointAfterValue(view);
    }
  }

  /// The uses of `load` read the slot that `view` shows.
  void replaceLoad(tt::MappedLoadOp load, Value view) {
    for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
      if (auto buffer = dyn_cast<LocalAllocOp>(user)) {
        replaceView(buffer.getResult(), view);
        buffer.erase();
      }
    if (!load->use_empty()) {
      builder.setInsertionPointAfterValue(view);
      Value loaded = LocalLoadOp::create(builder, load.getLoc(), load.getType(), view, Value());
      load.replaceAllUsesWith(loaded);
    }
    load.erase();
  }

  /// Views of a view have the encodings that follow.
  void replaceView(Value from, Value to) {
    for (Operation *user : llvm::make_early_inc_range(from.getUsers()))
      if (auto transposed = dyn_cast<MemDescTransOp>(user)) {
        auto source = cast<MemDescType>(to.getType()), old = transposed.getType();
        auto encoding = cast<SharedEncodingInterface>(source.getEncoding());
        auto type = MemDescType::get(old.getContext(), old.getShape(), old.getElementType(),
                                     encoding.getPermuted(transposed.getOrder()), old.getMemorySpace(),
                                     source.getMutableMemory());
        builder.setInsertionPointAfterValue(to);
        replaceView(transposed.getResult(),
                    MemDescTransOp::create(builder, transposed.getLoc(), type, to, transposed.getOrder()));
        transposed.erase();
      }
    from.replaceAllUsesWith(to);
  }

  /// What loops around loads asked for has been done: these run ahead of everything else.
  void eraseHints() {
    for (Operation *move : moves)
      for (auto loop = move->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
        for (llvm::StringRef hint : {tt::flattenAttribute, tt::loopStagesAttribute, tt::warpSpecializeAttribute})
          loop->removeAttr(hint);
  }

  //===--------------------------------------------------------------------===//
  // The two programs
  //===--------------------------------------------------------------------===//

  /// Behind `start` warps go their ways.
  void split(BarrierOp start, const analysis::ControlSlice &slice) {
    Block &body = function.getBody().front();
    builder.setInsertionPointAfter(sharesCopies ? start->getNextNode() : start);
    Value isInWarp = IsMoverOp::create(builder, loc(), /*anyThread=*/true);
    auto branch =
        scf::IfOp::create(builder, loc(), TypeRange(), isInWarp, /*addThenBlock=*/true, /*addElseBlock=*/true);
    Block &rest = *branch.elseBlock();
    for (Operation *op = branch->getNextNode(), *end = body.getTerminator(); op != end;) {
      Operation *next = op->getNextNode();
      op->moveBefore(&rest, rest.end());
      op = next;
    }
    builder.setInsertionPointToEnd(&rest);
    scf::YieldOp::create(builder, loc());
    builder.setInsertionPoint(body.getTerminator());
    if (sharesCopies)
      ClusterBarrierOp::create(builder, loc()); // Until then others copy into this block, and arrive at its barriers.
    builder.setInsertionPointToEnd(branch.thenBlock());
    if (warps.movingRegisters != 0)
      SetRegistersOp::create(builder, loc(), int32_t(warps.movingRegisters), /*raises=*/false);
    Value isMover = IsMoverOp::create(builder, loc(), /*anyThread=*/false);
    auto single = scf::IfOp::create(builder, loc(), isMover, /*withElse=*/false);
    scf::YieldOp::create(builder, loc());
    builder.setInsertionPointToStart(single.thenBlock());
    IRMapping mapping;
    cloneSlice(rest, slice, builder, mapping);
    for (Operation *move : llvm::reverse(moves))
      move->erase();
    builder.setInsertionPointToStart(&rest);
    if (warps.computingRegisters != 0)
      SetRegistersOp::create(builder, loc(), int32_t(warps.computingRegisters), /*raises=*/true);
  }

  tt::FuncOp function;
  const WarpRoles &warps;
  unsigned blocks;
  bool sharesCopies = false;
  OpBuilder builder;
  TensorMaps maps;
  MemDescType barrierType;
  SmallVector<PlacedRing> rings;
  SmallVector<Operation *> moves; ///< what only the mover does
};

/// Says which loops get their blocks through which rings, and where these have fewer slots than the loops asked for.
void report(llvm::ArrayRef<CopyRing> rings) {
  struct Facts {
    SmallVector<Attribute> rings;
    std::optional<std::pair<int64_t, int64_t>> shortest; ///< slots, and those that were wanted
  };
  llvm::MapVector<Operation *, Facts> loops;
  for (const CopyRing &ring : rings) {
    llvm::DenseSet<Operation *> known; // Sites of one ring share its slots.
    for (const CopySite &site : ring.sites) {
      Operation *loop = tt::MappedLoadOp(site.loads.front())->getParentOfType<LoopLikeOpInterface>();
      if (!loop || !known.insert(loop).second)
        continue;
      Facts &facts = loops[loop];
      for (auto [load, slot] : llvm::zip_equal(site.loads, ring.types))
        facts.rings.push_back(describeRing(tt::MappedLoadOp(load).getLoc(), ring.slots, slot));
      if (std::pair slots(ring.slots, ring.wantedSlots); ring.slots < ring.wantedSlots)
        facts.shortest = std::min(facts.shortest.value_or(slots), slots);
    }
  }
  for (auto &[loop, facts] : loops) {
    if (facts.shortest)
      reportFewerStages(loop, facts.shortest->first, facts.shortest->second);
    if (remarks::InFlightRemark remark = remarks::decided(loop, remarks::loop, "Pipeline"))
      remark << remarks::Fact("mover", true)
             << remarks::Fact("rings", Attribute(Builder(loop->getContext()).getArrayAttr(facts.rings)));
  }
}

struct TritonGPUSpecializeWarps : impl::TritonGPUSpecializeWarpsBase<TritonGPUSpecializeWarps> {
  using TritonGPUSpecializeWarpsBase::TritonGPUSpecializeWarpsBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const gpu::Machine &machine = target->machine();
    Budget budget(machine, getNumWarps(getOperation()));
    SmallVector<std::pair<tt::FuncOp, SmallVector<CopyRing>>> planned;
    bool shares = true;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<CopyRing> rings;
      if (!function.isExternal())
        rings = planCopyRings(function, numStages, machine.sharedBytes);
      if (rings.empty())
        continue;
      int64_t free = findFreeBytes(function, numStages, machine.sharedBytes);
      shares &= budget.canShareMultiprocessor(function, int64_t(machine.sharedBytes) - free);
      planned.push_back({function, std::move(rings)});
    }
    WarpRoles warps = budget.divide(shares);
    for (auto &[function, rings] : planned) {
      if (remarks::areWanted(function))
        report(rings);
      if (!Specializer(function, warps).run(std::move(rings)))
        return signalPassFailure();
    }
    if (!planned.empty())
      declare(warps);
  }

private:
  void declare(const WarpRoles &warps) {
    Builder builder(&getContext());
    getOperation()->setAttr(launchWarpsAttribute, builder.getI32IntegerAttr(int32_t(warps.computing + warps.moving)));
    if (warps.programs > 1)
      getOperation()->setAttr(residentProgramsAttribute, builder.getI32IntegerAttr(int32_t(warps.programs)));
  }
};

} // namespace

} // namespace triton::ttg

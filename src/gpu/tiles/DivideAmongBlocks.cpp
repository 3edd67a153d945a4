// Gives each block of a cluster its part of a program whose layouts are over several blocks, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/PartTypes.h"
#include "gpu/tiles/Passes.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace triton::ttg {

using namespace mlir;

#define GEN_PASS_DEF_TRITONGPUDIVIDEAMONGBLOCKS
#include "gpu/tiles/Passes.h.inc"

namespace {

/// Builds what depends on the number of the block, before an operation.
class RankBuilder {
public:
  explicit RankBuilder(Operation *op) : builder(op), loc(op->getLoc()) {}

  Value rank() { return tt::GetBlockRankOp::create(builder, loc, builder.getI32Type()); }
  Value i32(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }

  /// The first coordinate of the block's part; null where that is 0 for all.
  Value firstCoordinate(Type type, unsigned dimension) {
    Value first;
    for (auto [bit, basis] : llvm::enumerate(getPartBases(type))) {
      if (basis[dimension] == 0)
        continue;
      Value isSet = arith::AndIOp::create(builder, loc, rank(), i32(int64_t(1) << bit));
      int32_t factor = basis[dimension] >> bit, divisor = (1 << bit) / basis[dimension];
      Value step = factor != 0 ? arith::MulIOp::create(builder, loc, isSet, i32(factor)).getResult()
                               : arith::DivUIOp::create(builder, loc, isSet, i32(divisor)).getResult();
      first = first ? arith::AddIOp::create(builder, loc, first, step).getResult() : step;
    }
    return first;
  }

  /// Whether the block's number has none of these bits.
  Value hasNone(unsigned bits) {
    Value own = arith::AndIOp::create(builder, loc, rank(), i32(bits));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, own, i32(0));
  }
  Value both(Value left, Value right) { return arith::AndIOp::create(builder, loc, left, right); }

  OpBuilder builder;
  Location loc;
};

/// Blocks that have one of these bits leave the operation out.
void guard(Operation *op, unsigned bits) {
  if (bits == 0)
    return;
  RankBuilder at(op);
  auto branch = scf::IfOp::create(at.builder, op->getLoc(), at.hasNone(bits), /*withElseRegion=*/false);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

/// A barrier that the two blocks of a pair share is that of the first one.
bool isOfPair(Type barrier) {
  llvm::ArrayRef<int32_t> bases =
      cast<SharedEncodingInterface>(cast<MemDescType>(barrier).getEncoding()).getBlockBases();
  return !bases.empty() && bases.front() == 0;
}

class Division {
public:
  Division(ModuleOp module, unsigned blocks) : module(module), allBits(blocks - 1) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(checkTypes(op)) || failed(checkElements(op)))
        return failure();
    twoCtas = llvm::any_of(ops, isOfTwoBlocks);
    for (Operation *op : SmallVector<Operation *>(ops))
      if (auto product = dyn_cast<foreign::TCGen5MMAOp>(op))
        waitForProduct(product, ops);
      else if (auto scaled = dyn_cast<foreign::TCGen5MMAScaledOp>(op))
        waitForProduct(scaled, ops);
    for (Operation *op : ops)
      if (failed(divide(op)))
        return failure();
    changeTypes();
    for (auto function : module.getOps<tt::FuncOp>())
      if (!function.isExternal())
        meetAtEnds(function);
    return success();
  }

  bool isForPairs() const { return twoCtas; }

private:
  static InFlightDiagnostic refuse(Operation *op) { return op->emitError() << base::unsupportedPrefix << "GPUs: "; }

  static bool isOfTwoBlocks(Operation *op) {
    return llvm::any_of(op->getResultTypes(), [](Type type) {
      if (!isInTensorMemory(type))
        return false;
      auto matrix = dyn_cast<foreign::TensorMemoryEncodingAttr>(cast<MemDescType>(type).getEncoding());
      return matrix && matrix.getTwoCTAs();
    });
  }

  /// A product of a pair for which no barrier is named gets one, and both blocks wait there: one alone starts it.
  template <typename Product> void waitForProduct(Product op, SmallVectorImpl<Operation *> &ops) {
    if (op.getIsAsync() || !op.getTwoCtas())
      return;
    op.setMulticast(false);
    OpBuilder builder(op);
    Location loc = op.getLoc();
    SmallVector<int32_t> ofEach;
    for (unsigned bit = 1; bit <= allBits; bit *= 2)
      ofEach.push_back(int32_t(bit));
    Attribute layout = SwizzledSharedEncodingAttr::get(op.getContext(), 1, 1, 1, llvm::ArrayRef<unsigned>{0}, ofEach);
    auto type = MemDescType::get(op.getContext(), {int64_t(allBits) + 1}, builder.getI64Type(), layout,
                                 SharedMemorySpaceAttr::get(op.getContext()), true);
    Value barrier = LocalAllocOp::create(builder, loc, type, Value());
    ops.push_back(InitBarrierOp::create(builder, loc, barrier, 1, /*manual=*/true));
    BarrierOp::create(builder, loc, /*allWarps=*/false, /*stays=*/true);
    op.getBarriersMutable().append(barrier);
    op.getBarrierConditionsMutable().append(op.getCondition());
    op.setIsAsync(true);
    builder.setInsertionPointAfter(op);
    // Where the product does not run, the phase before the first one is waited for, which has ended.
    Value always = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value skips = arith::XOrIOp::create(builder, loc, op.getCondition(), always);
    Value parity = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), skips);
    ops.push_back(WaitBarrierOp::create(builder, loc, barrier, parity));
    BarrierOp::create(builder, loc, /*allWarps=*/false, /*stays=*/true);
    InvalidateBarrierOp::create(builder, loc, barrier);
  }

  //===--- What moves no elements between blocks ------------------------------------------------------------------===//

  static LogicalResult checkTypes(Operation *op) {
    for (Type type : op->getResultTypes())
      if (!getPartType(type))
        return refuse(op) << type << ", of which the parts of blocks lie between one another; `cga_layout` or the "
                          << "block bases of a layout must be above all its other bases";
    return success();
  }

  static LogicalResult checkAlike(Operation *op, Type left, Type right) {
    if (areDividedAlike(left, right))
      return success();
    return refuse(op) << "elements that move between the blocks of a cluster, from " << left << " to " << right
                      << "; give both the same `cga_layout`, or send them with `async_store`";
  }

  static LogicalResult checkWhole(Operation *op, Type type, int64_t axis) {
    if (!isDivided(type, unsigned(axis)))
      return success();
    return refuse(op) << "`" << op->getName() << "` along dimension " << axis << " of " << type
                      << ", of which each block of the cluster has a part; let blocks have all of it, by zeros in "
                         "`cga_layout`";
  }

  static LogicalResult checkElements(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<ConvertLayoutOp, LocalLoadOp, MemDescReinterpretOp>(
            [](auto move) { return checkAlike(move, move.getSrc().getType(), move.getType()); })
        .Case<LocalStoreOp, foreign::TMEMStoreOp, AsyncCopyGlobalToLocalOp>(
            [](auto move) { return checkAlike(move, move->getOperand(0).getType(), move.getDst().getType()); })
        .Case([](foreign::TMEMLoadOp load) {
          return checkAlike(load, load.getSrc().getType(), load.getResult().getType());
        })
        .Case<LocalAllocOp, foreign::TMEMAllocOp>([](auto alloc) {
          return alloc.getSrc() ? checkAlike(alloc, alloc.getSrc().getType(), alloc->getResult(0).getType())
                                : success();
        })
        .Case([](LocalGatherOp gather) {
          return checkIndexed(gather, gather.getSrc().getType(), gather.getIndices().getType(), gather.getAxis());
        })
        .Case<LocalScatterOp, LocalAtomicScatterRMWOp>([](auto scatter) {
          return checkIndexed(scatter, scatter.getDst().getType(), scatter.getIndices().getType(), scatter.getAxis());
        })
        .Case<tt::ReduceOp, tt::ScanOp>(
            [](auto combined) { return checkWhole(combined, combined.getSrcs()[0].getType(), combined.getAxis()); })
        .Case([](tt::GatherOp gather) { return checkWhole(gather, gather.getSrc().getType(), gather.getAxis()); })
        .Case([](tt::HistogramOp count) { return checkWhole(count, count.getSrc().getType(), 0); })
        .Case<WarpGroupDotOp>([](auto dot) { return checkProduct(dot, dot.getType(), /*isOfPair=*/false); })
        .Case<foreign::TCGen5MMAOp, foreign::TCGen5MMAScaledOp>(
            [](auto dot) { return checkProduct(dot, dot.getD().getType(), dot.getTwoCtas()); })
        .Default(success());
  }

  static LogicalResult checkIndexed(Operation *op, Type buffer, Type indices, int64_t axis) {
    return failed(checkWhole(op, buffer, axis)) ? failure() : checkAlike(op, indices, buffer);
  }

  /// The bases of so many bits, zeros where a layout says nothing of blocks.
  static SmallVector<layout::Basis> basesOf(Type type, std::size_t bits) {
    SmallVector<layout::Basis> bases = getPartBases(type);
    bases.resize(bits, layout::Basis(std::size_t(cast<ShapedType>(type).getRank())));
    return bases;
  }

  /// Of a product each block computes its part, for which it has all of K. One of a pair has half of the columns of the
  /// second factor, and the unit reads both halves.
  template <typename Product> static LogicalResult checkProduct(Product op, Type result, bool isOfPair) {
    Type left = op.getA().getType(), right = op.getB().getType();
    if (isDivided(left, 1) || isDivided(right, 0))
      return refuse(op) << "a product whose depth is divided among the blocks of a cluster, of " << left << " and "
                        << right << "; let blocks have all of K, by zeros in `cga_layout`";
    std::size_t bits = llvm::Log2_32(getNumCtas(op));
    SmallVector<layout::Basis> rows = basesOf(left, bits), columns = basesOf(right, bits), both = basesOf(result, bits);
    for (std::size_t bit = isOfPair ? 1 : 0; bit < both.size(); ++bit)
      if (rows[bit][0] != both[bit][0] || columns[bit][1] != both[bit][1])
        return refuse(op) << "a product to whose parts " << result << " those of the factors " << left << " and "
                          << right << " do not belong; `cga_layout` of the factors is that of the result, with zeros "
                          << "along K";
    if (isOfPair && (rows[0][0] == 0 || columns[0][1] == 0 || both[0][0] == 0))
      return refuse(op) << "a product of two blocks that does not divide the rows of " << left << ", the columns of "
                        << right << " and the rows of " << result
                        << " between both; their `cga_layout` begins with [1, 0], [0, 1] and [1, 0]";
    return success();
  }

  //===--- What depends on the block ------------------------------------------------------------------------------===//

  LogicalResult divide(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([](tt::MakeRangeOp range) { return divideRange(range); })
        .Case([](arith::ConstantOp constant) { return divideConstant(constant); })
        .Case([&](tt::StoreOp store) { return guard(store, repeatedBits(store.getPtr().getType())), success(); })
        .Case<tt::AtomicRMWOp, tt::AtomicCASOp>([&](auto atomic) { return divideAtomic(atomic); })
        .Case([&](AsyncMappedLoadOp load) { return divideLoad(load); })
        .Case([&](AsyncMappedStoreOp store) { return divideStore(store); })
        .Case([&](InitBarrierOp init) { return divideInit(init); })
        .Case<ExpectBytesOp, ArriveBarrierOp>([&](auto arrival) {
          arrival.setAtLeader(isOfPair(arrival.getBarrier().getType()));
          if (arrival.getFromBlocks() == allBits)
            arrival.removeFromBlocksAttr();
          return success();
        })
        .Case([](WaitBarrierOp wait) {
          wait.setOfCluster(true);
          if (isOfPair(wait.getBarrier().getType()))
            guard(wait, 1);
          return success();
        })
        .Case<foreign::TCGen5MMAOp, foreign::TCGen5MMAScaledOp>([&](auto product) { return divideProduct(product); })
        .Case([&](foreign::TCGen5CommitOp commit) { return divideCommit(commit); })
        .Case([&](foreign::TMEMCopyOp copy) { return guard(copy, twoCtas ? 1 : 0), success(); })
        .Case([](AsyncRemoteStoreOp store) {
          store.setWholeValueAttr(TypeAttr::get(store.getSrc().getType()));
          store.setWholeBufferAttr(TypeAttr::get(store.getDst().getType()));
          return success();
        })
        .Default(success());
  }

  /// Of the blocks that differ in these bits alone, all would access the same elements of global memory.
  unsigned repeatedBits(Type pointers) const {
    return isa<RankedTensorType>(pointers) ? sharedBits(pointers) : allBits;
  }

  /// The bits of a block's number under which blocks have the same part: all where a layout says nothing of blocks.
  unsigned sharedBits(Type type) const { return getPartBases(type).empty() ? allBits : getSharedBits(type); }

  static LogicalResult divideRange(tt::MakeRangeOp range) {
    RankBuilder at(range);
    Value first = at.firstCoordinate(range.getType(), 0);
    if (!first)
      return success();
    auto part = cast<RankedTensorType>(getPartType(range.getType()));
    Value lanes = tt::MakeRangeOp::create(at.builder, at.loc, part, range.getStart(),
                                          range.getStart() + uint32_t(part.getNumElements()));
    Value sum = arith::AddIOp::create(at.builder, at.loc, lanes, tt::SplatOp::create(at.builder, at.loc, part, first));
    range.replaceAllUsesWith(sum);
    range.erase();
    return success();
  }

  static LogicalResult divideConstant(arith::ConstantOp constant) {
    Type part = getPartType(constant.getType());
    if (part == constant.getType())
      return success();
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return refuse(constant) << "a constant of several values that is divided among blocks";
    constant.setValueAttr(splat.resizeSplat(cast<ShapedType>(part)));
    return success();
  }

  template <typename Atomic> LogicalResult divideAtomic(Atomic op) {
    unsigned bits = repeatedBits(op.getPtr().getType());
    if (bits != 0 && !op->use_empty())
      return refuse(op) << "the result of an atomic operation that several blocks of a cluster would repeat; leave it "
                           "unused, or give each block elements of its own by `cga_layout`";
    guard(op, bits);
    return success();
  }

  /// The indices of a copy become those of the block's part of `buffer`.
  template <typename Copy> void moveIndices(Copy op, MemDescType buffer) {
    RankBuilder at(op);
    bool ofRows = bool(op.getRows()); // whose numbers belong to the first dimension
    MutableOperandRange indices = op.getIndicesMutable();
    std::size_t count = ofRows ? 2 : indices.size(), rank = buffer.getShape().size();
    for (std::size_t dimension = ofRows ? 1 : 0; dimension < rank; ++dimension)
      if (Value first = at.firstCoordinate(buffer, unsigned(dimension))) {
        OpOperand &index = indices[count - rank + dimension - (ofRows ? 1 : 0)];
        index.set(arith::AddIOp::create(at.builder, at.loc, index.get(), first));
      }
  }

  /// The map's box is what one copy of the part moves.
  template <typename Copy> void divideMap(Copy op, MemDescType buffer) {
    auto part = cast<MemDescType>(getPartType(buffer));
    if (part == buffer || op.getRows())
      return;
    BlockArgument map = cast<BlockArgument>(op.getMap());
    tt::FuncOp function = cast<tt::FuncOp>(map.getOwner()->getParentOp());
    auto type = cast<tt::TensorDescType>(map.getType());
    SmallVector<int64_t> shape(type.getBlockType().getRank() - part.getRank(), 1);
    llvm::append_range(shape, part.getShape());
    SmallVector<int64_t> box = cast<NvmmaSharedEncodingAttr>(part.getEncoding()).getBox(shape);
    map.setType(tt::TensorDescType::get(type.getBlockType().clone(box)));
    NamedAttrList described(function.getArgAttrOfType<DictionaryAttr>(map.getArgNumber(), tensorMapAttribute));
    described.set("box", Builder(op.getContext()).getDenseI32ArrayAttr(llvm::to_vector_of<int32_t>(box)));
    function.setArgAttr(map.getArgNumber(), tensorMapAttribute, described.getDictionary(op.getContext()));
  }

  LogicalResult divideLoad(AsyncMappedLoadOp load) {
    MemDescType buffer = load.getDst().getType();
    bool isOfRows = bool(load.getRows()), isAtLeader = isOfPair(load.getBarrier().getType());
    if (isOfRows && failed(checkRows(load, load.getRows().getType(), buffer)))
      return failure();
    if (isOfRows && isAtLeader)
      return refuse(load)
             << "copies of rows whose bytes the first block of a pair counts; let each block wait at its own "
                "barrier, which `mbarrier.allocate_mbarrier()` makes without `two_ctas`";
    moveIndices(load, buffer);
    divideMap(load, buffer);
    load.setAtLeader(isAtLeader);
    bool goesToOthers = load.getMulticast() && !isOfRows; // Each block copies its rows itself.
    load.removeMulticastAttr();
    if (!goesToOthers)
      return success();
    unsigned bits = sharedBits(buffer);
    if (bits != 0)
      load.setMulticast(bits);
    guard(load, bits);
    return success();
  }

  LogicalResult divideStore(AsyncMappedStoreOp store) {
    MemDescType buffer = store.getSrc().getType();
    if (store.getRows() && failed(checkRows(store, store.getRows().getType(), buffer)))
      return failure();
    moveIndices(store, buffer);
    divideMap(store, buffer);
    guard(store, sharedBits(buffer));
    return success();
  }

  static LogicalResult checkRows(Operation *op, Type rows, MemDescType buffer) {
    std::size_t bits = llvm::Log2_32(getNumCtas(op));
    for (auto [row, element] : llvm::zip_equal(basesOf(rows, bits), basesOf(buffer, bits)))
      if (row[0] != element[0])
        return refuse(op) << "numbers of rows, " << rows << ", of which blocks have other parts than of the rows of "
                          << buffer;
    return success();
  }

  /// Blocks of a pair both announce bytes at the barrier of the first one.
  LogicalResult divideInit(InitBarrierOp init) {
    if (isOfPair(init.getBarriers().getType()))
      init.setCount(init.getCount() * 2);
    if (init->getParentOfType<WarpSpecializeOp>())
      return success();
    // No block uses the barriers of another one that has not made them.
    Operation *last = init->getNextNode();
    OpBuilder builder(init.getContext());
    builder.setInsertionPointAfter(isa_and_nonnull<BarrierOp>(last) ? last : init);
    for (Operation *next = builder.getInsertionPoint() == init->getBlock()->end() ? nullptr
                                                                                  : &*builder.getInsertionPoint();
         next; next = next->getNextNode()) {
      if (isa<InitBarrierOp>(next))
        return success(); // One meeting is for all of them.
      bool makesBarriers = isPure(next) || isa<LocalAllocOp, foreign::TMEMAllocOp, LocalDeallocOp>(next);
      if (!makesBarriers)
        break;
    }
    ClusterBarrierOp::create(builder, init.getLoc(), /*relaxed=*/false);
    return success();
  }

  /// The first block of a pair starts the product. All blocks whose factors it reads learn that it is done.
  template <typename Product> LogicalResult divideProduct(Product op) {
    RankBuilder at(op);
    if (op.getTwoCtas())
      op.getConditionMutable().assign(at.both(op.getCondition(), at.hasNone(1)));
    SmallVector<int32_t> masks;
    if (op.getMulticast())
      masks = {int32_t(sharedBits(op.getA().getType())), int32_t(sharedBits(op.getB().getType()))};
    setArrivals(op, masks, op.getTwoCtas());
    return success();
  }

  LogicalResult divideCommit(foreign::TCGen5CommitOp commit) {
    SmallVector<int32_t> masks;
    for (Value factor : commit.getDescs())
      masks.push_back(int32_t(sharedBits(factor.getType())));
    setArrivals(commit, masks, twoCtas);
    guard(commit, twoCtas ? 1 : 0);
    return success();
  }

  static void setArrivals(Operation *op, SmallVector<int32_t> masks, bool ofPair) {
    if (ofPair && masks.empty())
      masks.push_back(0);
    for (int32_t &mask : masks)
      mask |= ofPair ? 1 : 0;
    llvm::sort(masks);
    masks.erase(llvm::unique(masks), masks.end());
    if (!masks.empty() && masks.back() != 0)
      op->setAttr(foreign::arrivalBlocksAttribute, Builder(op->getContext()).getDenseI32ArrayAttr(masks));
  }

  //===--- All values ---------------------------------------------------------------------------------------------===//

  void changeTypes() {
    module.walk([](Operation *op) {
      for (Value result : op->getResults())
        result.setType(getPartType(result.getType()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(getPartType(argument.getType()));
      if (auto function = dyn_cast<tt::FuncOp>(op)) {
        SmallVector<Type> arguments, results;
        llvm::transform(function.getArgumentTypes(), std::back_inserter(arguments), getPartType);
        llvm::transform(function.getResultTypes(), std::back_inserter(results), getPartType);
        if (!function.isExternal())
          arguments.assign(function.getBody().front().getArgumentTypes().begin(),
                           function.getBody().front().getArgumentTypes().end());
        function.setFunctionType(FunctionType::get(op->getContext(), arguments, results));
      }
      for (llvm::StringRef name : {tt::contiguityAttribute, tt::constancyAttribute, tt::divisibilityAttribute})
        if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()))
          op->removeDiscardableAttr(name); // What is stated of a run may not hold of a part.
    });
  }

  /// Until then others may copy into this block, and arrive at its barriers.
  static void meetAtEnds(tt::FuncOp function) {
    if (function.isPrivate())
      return;
    function.walk([](tt::ReturnOp end) {
      OpBuilder builder(end);
      ClusterBarrierOp::create(builder, end.getLoc(), /*relaxed=*/false);
    });
  }

  ModuleOp module;
  unsigned allBits;
  bool twoCtas = false;
};

struct TritonGPUDivideAmongBlocks : impl::TritonGPUDivideAmongBlocksBase<TritonGPUDivideAmongBlocks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    unsigned blocks = getNumCtas(module);
    if (blocks == 1)
      return markAllAnalysesPreserved();
    constexpr unsigned mostBlocks = 8; // that every GPU with clusters runs
    if (!llvm::isPowerOf2_32(blocks) || blocks > mostBlocks) {
      module.emitError() << "`" << numCtasAttribute << "` is " << blocks << "; it must be 1, 2, 4 or 8";
      return signalPassFailure();
    }
    Division division(module, blocks);
    if (failed(division.run()))
      return signalPassFailure();
    Builder builder(&getContext());
    module->setAttr(numCtasAttribute, builder.getI32IntegerAttr(1));
    module->setAttr(tt::blocksAttribute, builder.getI32IntegerAttr(int32_t(blocks)));
    if (division.isForPairs())
      module->setAttr(foreign::twoCtasAttribute, builder.getBoolAttr(true));
  }
};

} // namespace

} // namespace triton::ttg

// Packed operands of products that stay from one program to the next. Neighbouring programs often multiply other rows
// of A with the same blocks of B. A thread that runs them one after another packs each block once.
//
// That is the same to the kernel if nothing but the programs' coordinates and the launch's arguments decides what a
// block contains. No program of a launch may rely on what another one writes, unless they synchronize, so kernels with
// operations that could are left alone. What decides the blocks is a list of scalars, which each program compares with
// those of the program before.
#include "backends/cpu/codegen/Lowering.h"

#include "backends/cpu/emitters/DotLoops.h"
#include "ir/Reached.h"

using namespace mlir;

namespace triton::cpu {

/// So much of the second level of the cache the blocks may take.
static constexpr int64_t keptBytes = 1 << 20;
/// Longer lists of scalars are not compared.
static constexpr size_t mostScalars = 16;

namespace {
/// The words in front of the blocks.
enum KeptStateWord : int64_t {
  runWord,      ///< how many programs in a row had these scalars
  positionWord, ///< the iteration of the loop
  filledWord,   ///< blocks that are there
  limitWord,    ///< blocks that may be kept
  firstScalarWord,
};
} // namespace

static bool isSilent(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV;
  return isa<scf::ForOp, scf::IfOp, scf::YieldOp, scf::WhileOp, scf::ConditionOp>(op) || isMemoryEffectFree(op);
}

/// Whether the kernel's operations only load, compute and, behind the loop, store.
static bool writesOnlyBehind(scf::ForOp loop, tt::FuncOp kernel) {
  bool isBehind = false;
  for (Operation &top : kernel.getBody().front().without_terminator()) {
    WalkResult walk = top.walk([&](Operation *op) {
      return isSilent(op) || (isBehind && isa<tt::StoreOp>(op)) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return false;
    isBehind |= &top == loop;
  }
  return true;
}

namespace {
/// Collects the scalars, known in front of a loop, that decide a value in it.
class DecidingScalars {
public:
  explicit DecidingScalars(scf::ForOp loop) : loop(loop) {}

  llvm::SmallSetVector<Value, 8> scalars;

  /// False if something else decides.
  bool add(Value value) {
    if (!value || !visited.insert(value).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument);
    Operation *op = value.getDefiningOp();
    if (op->getBlock() == loop->getBlock() && !isa<RankedTensorType>(value.getType()))
      return !dependsOnProgram(value) || addScalar(value);
    bool isKnown = op->getBlock() == loop->getBlock() || op->getBlock() == loop.getBody();
    return isKnown && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); });
  }

private:
  bool addArgument(BlockArgument argument) {
    if (argument.getOwner() != loop.getBody())
      return isa<tt::FuncOp>(argument.getOwner()->getParentOp());
    if (argument == loop.getInductionVar())
      return add(loop.getLowerBound()) && add(loop.getStep());
    unsigned number = argument.getArgNumber() - 1;
    return add(loop.getInitArgs()[number]) && add(loop.getYieldedValues()[number]);
  }

  bool addScalar(Value value) {
    bool isWord =
        isa<tt::PointerType>(value.getType()) || value.getType().isInteger(32) || value.getType().isInteger(64);
    return isWord && (scalars.insert(value), scalars.size() <= mostScalars);
  }

  /// Whether a scalar may be another one in another program of the launch.
  static bool dependsOnProgram(Value value) {
    return !holdsForAllReached(value, [](Value next, SmallVectorImpl<Value> &operands) {
      Operation *op = next.getDefiningOp();
      if (!op)
        return isa<tt::FuncOp>(cast<BlockArgument>(next).getOwner()->getParentOp());
      if (isa<tt::GetProgramIdOp>(op) || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
        return false;
      llvm::append_range(operands, op->getOperands());
      return true;
    });
  }

  scf::ForOp loop;
  llvm::DenseSet<Value> visited;
};
} // namespace

namespace {
/// The packed blocks of a product's second operand, in a loop of the kernel, that the next program may find again.
struct Kept {
  scf::ForOp loop;
  SmallVector<Value> scalars; ///< that decide what the blocks contain, in front of the loop
  int64_t blocks = 0, blockBytes = 0;
  int64_t stateAt = 0, blocksAt = 0; ///< in the scratch area
};

class KeptOperands final : public OperandSupply {
public:
  explicit KeptOperands(Lowering &lowering) {
    lowering.kernel.walk([&](tt::DotOp op) {
      auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
      if (!loop || loop->getParentOp() != lowering.kernel || comesPacked(lowering, op) ||
          columnsToPack(lowering, op) == 0 || !writesOnlyBehind(loop, lowering.kernel))
        return;
      Kept kept;
      kept.loop = loop;
      DotPlan plan = planOf(lowering, op);
      kept.blockBytes = plan.packedBBytes;
      kept.blocks = keptBytes / kept.blockBytes;
      auto load = op.getB().getDefiningOp<tt::LoadOp>();
      DecidingScalars deciding(loop);
      if (kept.blocks == 0 || !deciding.add(load.getPtr()) || !deciding.add(load.getMask()) ||
          !deciding.add(load.getOther()))
        return;
      llvm::append_range(kept.scalars, deciding.scalars);
      kept.stateAt = allocateWords(lowering, firstScalarWord + int64_t(kept.scalars.size()));
      kept.blocksAt = allocateWords(lowering, (kept.blocks + 1) * kept.blockBytes / 8);
      products[op] = std::move(kept);
    });
  }

  bool packs(tt::DotOp op) const override { return products.contains(op); }

  /// Nothing is there.
  void emitEntry(Lowering &lowering, Location loc) const override {
    for (auto &[op, kept] : products)
      writeWord(lowering, loc, kept.stateAt, runWord, lowering.lanes.constantI64(loc, 0));
  }

  /// Keeps the blocks of the program before, if they are those of this one. New blocks are not kept if those before
  /// were of no use.
  void emitLoopStart(Lowering &lowering, scf::ForOp loop) const override {
    OpBuilder &b = lowering.b;
    LaneEmitter &lanes = lowering.lanes;
    Location loc = loop.getLoc();
    Type i64 = b.getI64Type();
    Value zero = lanes.constantI64(loc, 0), one = lanes.constantI64(loc, 1);
    for (auto &[op, kept] : products) {
      if (kept.loop != loop)
        continue;
      auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
        return arith::CmpIOp::create(b, loc, predicate, left, right);
      };
      Value run = readWord(lowering, loc, kept.stateAt, runWord);
      Value isSame = compare(arith::CmpIPredicate::ne, run, zero);
      for (auto [number, value] : llvm::enumerate(kept.scalars)) {
        Value now = scalar(lowering, value);
        if (isa<LLVM::LLVMPointerType>(now.getType()))
          now = LLVM::PtrToIntOp::create(b, loc, i64, now);
        else if (now.getType() != i64)
          now = arith::ExtSIOp::create(b, loc, i64, now);
        int64_t word = firstScalarWord + int64_t(number);
        Value isEqual = compare(arith::CmpIPredicate::eq, now, readWord(lowering, loc, kept.stateAt, word));
        isSame = arith::AndIOp::create(b, loc, isSame, isEqual);
        writeWord(lowering, loc, kept.stateAt, word, now);
      }
      Value mayKeep = arith::OrIOp::create(b, loc, isSame, compare(arith::CmpIPredicate::ne, run, one));
      Value longer = arith::AddIOp::create(b, loc, run, one);
      writeWord(lowering, loc, kept.stateAt, runWord, arith::SelectOp::create(b, loc, isSame, longer, one));
      writeWord(lowering, loc, kept.stateAt, filledWord,
                arith::SelectOp::create(b, loc, isSame, readWord(lowering, loc, kept.stateAt, filledWord), zero));
      writeWord(lowering, loc, kept.stateAt, limitWord,
                arith::SelectOp::create(b, loc, mayKeep, lanes.constantI64(loc, kept.blocks), zero));
      writeWord(lowering, loc, kept.stateAt, positionWord, zero);
    }
  }

  /// Emits where the packed operand is in this iteration, and the packing if it is not there.
  void emitBeforeProduct(Lowering &lowering, tt::DotOp op, ProductOperands &operands) const override {
    OpBuilder &b = lowering.b;
    LaneEmitter &lanes = lowering.lanes;
    const auto *found = products.find(op);
    if (found == products.end())
      return;
    const Kept &kept = found->second;
    Location loc = op.getLoc();
    Value one = lanes.constantI64(loc, 1);
    preparePacking(lowering, op);
    Value position = readWord(lowering, loc, kept.stateAt, positionWord),
          limit = readWord(lowering, loc, kept.stateAt, limitWord);
    Value next = arith::AddIOp::create(b, loc, position, one);
    writeWord(lowering, loc, kept.stateAt, positionWord, next);
    // The block behind the last one takes what is not kept.
    Value isKept = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, limit);
    Value block = arith::SelectOp::create(b, loc, isKept, position, lanes.constantI64(loc, kept.blocks));
    Value offset = arith::MulIOp::create(b, loc, block, lanes.constantI64(loc, kept.blockBytes));
    Value blocks = lanes.offsetPointer(loc, lowering.scratch.base, kept.blocksAt, b.getI8Type());
    Value address = lanes.offsetPointer(loc, blocks, offset, b.getI8Type());
    Value isMissing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, position,
                                            readWord(lowering, loc, kept.stateAt, filledWord));
    Block *outside = b.getInsertionBlock();
    auto branch = scf::IfOp::create(b, loc, isMissing, /*withElseRegion=*/false);
    branch.thenBlock()->getTerminator()->erase();
    b.setInsertionPointToEnd(branch.thenBlock());
    writeWord(lowering, loc, kept.stateAt, filledWord, arith::MinSIOp::create(b, loc, next, limit));
    packWhereLoaded(lowering, op, address);
    scf::YieldOp::create(b, loc);
    b.setInsertionPointToEnd(outside);
    operands.packed = address;
  }

private:
  llvm::MapVector<Operation *, Kept> products;
};
} // namespace

std::unique_ptr<OperandSupply> findKeptOperands(Lowering &lowering) { return std::make_unique<KeptOperands>(lowering); }

} // namespace triton::cpu

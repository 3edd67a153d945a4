#include "analysis/AxisInfo.h"

#include "analysis/AxisRules.h"
#include "analysis/BlockIndices.h"
#include "ir/AttributeNames.h"
#include "ir/Dialect.h"

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::analysis {

unsigned getPointeeBytes(Type pointer) {
  auto type = dyn_cast<tt::PointerType>(getElementTypeOrSelf(pointer));
  if (!type || isa<RankedTensorType>(type.getPointeeType()))
    return 1;
  if (isa<tt::PointerType>(type.getPointeeType()))
    return 8;
  return std::max(1u, type.getPointeeType().getIntOrFloatBitWidth() / 8);
}

AxisInfo AxisInfo::unknown(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  AxisInfo info;
  info.axes.resize(tensor ? std::max<int64_t>(1, tensor.getRank()) : 1);
  for (AxisFacts &facts : info.axes)
    facts.step = getPointeeBytes(type);
  return info;
}

AxisInfo AxisInfo::ofConstant(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  info.constant = value;
  info.isNonNegative = value >= 0;
  for (auto [axis, facts] : llvm::enumerate(info.axes)) {
    facts.divisibility = powerOfTwoPart(value);
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getRank() > 0)
      facts.constancy = tensor.getDimSize(axis);
  }
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &left, const AxisInfo &right) {
  if (left.axes.empty())
    return right;
  if (right.axes.empty())
    return left;
  AxisInfo joined;
  for (auto [a, b] : llvm::zip_equal(left.axes, right.axes)) {
    int64_t contiguity = std::min(a.contiguity, b.contiguity);
    joined.axes.push_back(
        {contiguity, std::min(a.at(contiguity), b.at(contiguity)), std::min(a.constancy, b.constancy), a.step});
  }
  if (left.constant == right.constant)
    joined.constant = left.constant;
  joined.isNonNegative = left.isNonNegative && right.isNonNegative;
  return joined;
}

void AxisInfo::print(llvm::raw_ostream &stream) const {
  auto printList = [&](llvm::StringRef name, int64_t AxisFacts::*field) {
    stream << name << " = [";
    llvm::interleaveComma(axes, stream, [&](const AxisFacts &facts) { stream << facts.*field; });
    stream << "]";
  };
  printList("contiguity", &AxisFacts::contiguity);
  printList(", divisibility", &AxisFacts::divisibility);
  printList(", constancy", &AxisFacts::constancy);
  if (constant)
    stream << ", constant = " << *constant;
  if (isNonNegative)
    stream << ", non-negative";
}

namespace {

/// The element of the dataflow. The framework has its own name for the operation that AxisInfo calls `join`.
struct AxisState : AxisInfo {
  AxisState(AxisInfo info = {}) : AxisInfo(std::move(info)) {}
  static AxisState join(const AxisState &left, const AxisState &right) { return AxisInfo::join(left, right); }
};

using AxisLattice = dataflow::Lattice<AxisState>;

/// Facts stated about a value by hints on its definition.
void applyHints(AxisInfo &info, llvm::function_ref<Attribute(llvm::StringRef)> find) {
  auto apply = [&](llvm::StringRef name, int64_t AxisFacts::*field) {
    Attribute hint = find(name);
    if (auto one = dyn_cast_or_null<IntegerAttr>(hint)) {
      for (AxisFacts &facts : info.axes)
        facts.*field = std::max(facts.*field, powerOfTwoPart(one.getInt()));
    } else if (auto each = dyn_cast_or_null<DenseIntElementsAttr>(hint)) {
      for (auto [facts, value] : llvm::zip(info.axes, each.getValues<APInt>()))
        facts.*field = std::max(facts.*field, powerOfTwoPart(value.getSExtValue()));
    }
  };
  apply(tt::contiguityAttribute, &AxisFacts::contiguity);
  apply(tt::divisibilityAttribute, &AxisFacts::divisibility);
  apply(tt::constancyAttribute, &AxisFacts::constancy);
}

bool statesRuns(Operation *op) { return bool(op->getDiscardableAttr(tt::contiguityAttribute)); }

class AxisDataflow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  AxisDataflow(DataFlowSolver &solver, ModuleOp module, StatedRuns runs)
      : SparseForwardDataFlowAnalysis(solver), runs(runs) {
    module.walk([&](LLVM::AssumeOp assumption) { collect(assumption); });
  }

  LogicalResult visitOperation(Operation *op, llvm::ArrayRef<const AxisLattice *> operands,
                               llvm::ArrayRef<AxisLattice *> results) override {
    if (isa<ub::PoisonOp>(op))
      return success(); // It may be any value; the value that it is joined with decides.
    if (op->getNumResults() != 1) {
      setAllToEntryStates(results);
      return success();
    }
    SmallVector<const AxisInfo *> known;
    for (const AxisLattice *operand : operands) {
      if (operand->getValue().axes.empty())
        return success(); // It is visited again when all operands are reached.
      known.push_back(&operand->getValue());
    }
    AxisInfo info = inferAxisInfo(op, known);
    if (!info.isNonNegative && isa<arith::AddIOp, arith::SubIOp>(op) && op->getResult(0).getType().isInteger(32))
      info.isNonNegative = isNumberOfPrograms(op->getResult(0));
    // What divides the first value of each run says nothing without the runs.
    bool ignoresRuns = runs == StatedRuns::Ignored && statesRuns(op);
    applyHints(info, [&](llvm::StringRef name) {
      return ignoresRuns && name != tt::constancyAttribute ? Attribute() : op->getDiscardableAttr(name);
    });
    publish(results.front(), std::move(info));
    return success();
  }

  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = AxisInfo::unknown(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
          function && argument.getOwner()->isEntryBlock()) {
        applyHints(info, [&](llvm::StringRef name) { return function.getArgAttr(argument.getArgNumber(), name); });
        info.isNonNegative |= bool(function.getArgAttr(argument.getArgNumber(), tt::nonnegativeAttribute));
      }
    publish(lattice, std::move(info));
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    llvm::ArrayRef<AxisLattice *> arguments, unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const AxisInfo &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue(),
                   &step = getLatticeElementFor(point, loop.getStep())->getValue();
    if (lower.axes.empty() || step.axes.empty())
      return;
    AxisInfo induction = AxisInfo::unknown(loop.getInductionVar().getType());
    induction.axes.front().divisibility = std::min(lower.axes.front().at(1), step.axes.front().at(1));
    induction.isNonNegative = lower.isNonNegative;
    publish(arguments.front(), std::move(induction));
  }

private:
  /// A false assumption is undefined behaviour, so what is assumed in the block of a definition holds for the
  /// definition.
  void collect(LLVM::AssumeOp assumption) {
    auto compare = assumption.getCond().getDefiningOp<arith::CmpIOp>();
    if (!compare || !compare.getLhs().getType().isInteger())
      return;
    APInt bound;
    Value value = compare.getLhs();
    if (!matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
      return;
    auto predicate = compare.getPredicate();
    auto holdsAt = [&](Value value) { return value.getParentBlock() == assumption->getBlock(); };
    bool atLeastZero = (predicate == arith::CmpIPredicate::sge && bound.sge(0)) ||
                       (predicate == arith::CmpIPredicate::sgt && bound.sge(-1));
    if (atLeastZero && holdsAt(value))
      nonNegative.insert(value);
    Operation *remainder = value.getDefiningOp();
    APInt divisor;
    if (predicate == arith::CmpIPredicate::eq && bound.isZero() &&
        isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(remainder) &&
        matchPattern(remainder->getOperand(1), m_ConstantInt(&divisor)) && holdsAt(remainder->getOperand(0)))
      divisibility[remainder->getOperand(0)] = powerOfTwoPart(divisor.getSExtValue());
  }

  void publish(AxisLattice *lattice, AxisInfo info) {
    Value value = lattice->getAnchor();
    info.isNonNegative |= nonNegative.contains(value);
    if (auto found = divisibility.find(value); found != divisibility.end())
      info.axes.front().divisibility = std::max(info.axes.front().divisibility, found->second);
    propagateIfChanged(lattice, lattice->join(AxisState(std::move(info))));
  }

  StatedRuns runs;
  llvm::DenseSet<Value> nonNegative;
  llvm::DenseMap<Value, int64_t> divisibility;
};

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(ModuleOp module, StatedRuns runs) : solver(std::make_unique<DataFlowSolver>()) {
  dataflow::loadBaselineAnalyses(*solver);
  solver->load<AxisDataflow>(module, runs);
  // This fails only if an operation's visit fails, and none does.
  (void)solver->initializeAndRun(module);
}

AxisInfoAnalysis::AxisInfoAnalysis(ModuleOp module) : AxisInfoAnalysis(module, StatedRuns::Believed) {}

AxisInfoAnalysis::~AxisInfoAnalysis() = default;

bool AxisInfoAnalysis::hasStatedRuns(ModuleOp module) {
  return module.walk([](Operation *op) { return statesRuns(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

AxisInfo AxisInfoAnalysis::getAxisInfo(Value value) const {
  const auto *lattice = solver->lookupState<AxisLattice>(value);
  return lattice && !lattice->getValue().axes.empty() ? AxisInfo(lattice->getValue())
                                                      : AxisInfo::unknown(value.getType());
}

} // namespace triton::analysis

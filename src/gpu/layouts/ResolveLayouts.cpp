// Finds the layouts of tensors that name none, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/CarriedValues.h"
#include "gpu/layouts/LayoutRules.h"
#include "gpu/layouts/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPURESOLVELAYOUTS
#include "gpu/layouts/Passes.h.inc"

namespace {

/// A layout that was found for a value.
struct Choice {
  Attribute layout;
  bool isDerived; ///< through an operation that changes shapes, so that it yields to one that is not
};

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Of two derived layouts one must win, whatever the order is in which they are found.
bool precedes(const Choice &left, const Choice &right) {
  if (left.isDerived != right.isDerived)
    return right.isDerived;
  return textOf(left.layout) < textOf(right.layout);
}

bool changesShapes(Operation *op) { return isa<tt::JoinOp, tt::SplitOp, tt::ReshapeOp, tt::CatOp, tt::TransOp>(op); }

bool relatesLayouts(Operation *op) {
  return !isa<SetAutoLayoutOp>(op) && (isa<LayoutOpInterface>(op) || op->hasTrait<OpTrait::Elementwise>());
}

/// Whether the layouts of the tensors fit together.
bool hasFittingLayouts(Operation *op) {
  ScopedDiagnosticHandler handler(op->getContext(), [](Diagnostic &) { return success(); });
  if (auto related = dyn_cast<LayoutOpInterface>(op))
    return succeeded(related.verifyLayouts());
  return succeeded(verifyRelatedLayouts(op, [](Attribute operand) { return operand; }));
}

Attribute encodingOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getEncoding() : Attribute();
}

/// Spreads layouts over the values of a function whose layout is `placeholder`.
class Resolver {
public:
  Resolver(FunctionOpInterface function, Attribute placeholder) : placeholder(placeholder) {
    function.walk([&](Operation *op) { findTies(op); });
  }

  /// Puts values into one class where one layout follows for all of them.
  void unite(llvm::EquivalenceClasses<Value> &classes, FunctionOpInterface function) const {
    auto uniteAll = [&](ValueRange values) {
      Value first;
      for (Value value : values)
        if (encodingOf(value) == placeholder) {
          first = first ? first : value;
          classes.unionSets(first, value);
        }
      return first;
    };
    for (const auto &[value, tied] : ties)
      for (Value other : tied)
        uniteAll({value, other});
    function.walk([&](Operation *op) {
      if (!relatesLayouts(op))
        return;
      Value result = uniteAll(op->getResults());
      if (inferResultLayout(op, placeholder) != placeholder)
        return;
      Value operand = uniteAll(op->getOperands());
      if (operand && result && keepsLayout(op))
        classes.unionSets(operand, result);
    });
  }

  /// Says that `value` has this layout. Reports at its definition if it needs to have another one as well.
  LogicalResult choose(Value value, Choice choice) {
    if (encodingOf(value) != placeholder)
      return success();
    auto [known, isNew] = choices.insert({value, choice});
    Choice &old = known->second;
    if (!isNew && !old.isDerived && !choice.isDerived && old.layout != choice.layout)
      return refuse(value, old.layout, choice.layout);
    if (!isNew && !precedes(choice, old))
      return success();
    old = choice;
    pending.push_back(value);
    return success();
  }

  LogicalResult spread() {
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      Choice choice = choices.lookup(value);
      for (Value tied : ties.lookup(value))
        if (failed(choose(tied, choice)))
          return failure();
      if (Operation *op = value.getDefiningOp(); op && failed(spreadToOperands(op, choice)))
        return failure();
      for (Operation *user : value.getUsers())
        if (failed(spreadToResults(user, choice)))
          return failure();
    }
    return success();
  }

  void rewrite() {
    for (auto &[value, choice] : choices) {
      auto type = withEncoding(cast<RankedTensorType>(value.getType()), choice.layout);
      value.setType(type);
      if (auto constant = value.getDefiningOp<arith::ConstantOp>())
        constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
    }
  }

private:
  static LogicalResult refuse(Value value, Attribute left, Attribute right) {
    return emitError(value.getLoc()) << base::wrongKernelPrefix
                                     << "this block, which names no layout, would need two of them, " << left << " and "
                                     << right
                                     << "; make one block for each, or name the layout and convert "
                                        "the block with `ttgl.convert_layout`";
  }

  void tie(Value left, Value right) {
    ties[left].push_back(right);
    ties[right].push_back(left);
  }

  /// What branches and loops pass on is the same block.
  void findTies(Operation *op) {
    forEachCarriedValue(op, [&](ArrayRef<Value> members, ArrayRef<OpOperand *> incoming) {
      for (Value member : members.drop_front())
        tie(members.front(), member);
      for (OpOperand *operand : incoming)
        tie(members.front(), operand->get());
    });
    if (auto gather = dyn_cast<tt::GatherOp>(op))
      tie(gather.getIndices(), gather.getResult());
    if (auto gather = dyn_cast<LocalGatherOp>(op))
      tie(gather.getIndices(), gather.getResult());
    if (auto scatter = dyn_cast<LocalScatterOp>(op))
      tie(scatter.getIndices(), scatter.getValues());
    if (auto atomic = dyn_cast<LocalAtomicScatterRMWOp>(op))
      for (Value value : {atomic.getValues(), atomic.getMask(), atomic.getResult()})
        if (value)
          tie(atomic.getIndices(), value);
  }

  /// Whether results have the layout of the operands.
  static bool keepsLayout(Operation *op) { return !changesShapes(op) && !isa<tt::ReduceOp, tt::ExpandDimsOp>(op); }

  LogicalResult chooseAll(ValueRange values, Choice choice) {
    return failure(llvm::any_of(values, [&](Value value) { return failed(choose(value, choice)); }));
  }

  LogicalResult spreadToOperands(Operation *op, Choice choice) {
    if (!relatesLayouts(op) || op->getNumOperands() == 0)
      return success();
    // Results have the same layout.
    if (failed(chooseAll(op->getResults(), choice)))
      return failure();
    Attribute operand = inferOperandLayout(op, choice.layout);
    if (auto slice = dyn_cast<SliceEncodingAttr>(choice.layout))
      if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && reduce.getAxis() == slice.getDim())
        operand = slice.getParent();
    if (!operand)
      return success();
    return chooseAll(op->getOperands(), {operand, choice.isDerived || changesShapes(op)});
  }

  LogicalResult spreadToResults(Operation *op, Choice choice) {
    if (!relatesLayouts(op))
      return success();
    Attribute result = inferResultLayout(op, choice.layout);
    if (!result)
      return success();
    if (failed(chooseAll(op->getOperands(), choice)))
      return failure();
    return chooseAll(op->getResults(), {result, choice.isDerived || changesShapes(op)});
  }

  Attribute placeholder;
  llvm::MapVector<Value, Choice> choices;
  llvm::DenseMap<Value, SmallVector<Value, 2>> ties;
  SmallVector<Value> pending;
};

/// Every value of which no layout is known yet, with the place that defines it.
WalkResult walkUnresolved(FunctionOpInterface function, llvm::function_ref<WalkResult(Value)> visit) {
  auto visitAll = [&](ValueRange values) {
    for (Value value : values)
      if (isPlaceholder(encodingOf(value)) && visit(value).wasInterrupted())
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return function->walk([&](Operation *op) {
    if (visitAll(op->getResults()).wasInterrupted())
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (visitAll(block.getArguments()).wasInterrupted())
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
}

struct TritonGPUResolveLayouts : impl::TritonGPUResolveLayoutsBase<TritonGPUResolveLayouts> {
  void runOnOperation() override {
    bool isNeeded = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      isNeeded |= walkUnresolved(function, [](Value) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!isNeeded)
      return markAllAnalysesPreserved();
    if (!gpu::findTarget(getOperation(), /*resolvesPlaceholders=*/true))
      return signalPassFailure();
    // What nothing uses needs no layout.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(resolveCoalesced(function)) || failed(resolveAuto(function)) || failed(verify(function)) ||
          failed(verifyFit(function)))
        return signalPassFailure();
  }

private:
  LogicalResult resolveCoalesced(FunctionOpInterface function) {
    auto placeholder = CoalescedEncodingAttr::get(&getContext());
    Resolver resolver(function, placeholder);
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    unsigned lanes = getThreadsPerWarp(function);
    SmallVector<GlobalAccess> accesses =
        findGlobalAccesses(function, axisInfo, gpu::getTarget(getOperation()).machine());
    llvm::EquivalenceClasses<Value> classes;
    resolver.unite(classes, function);
    // Accesses of blocks that have one layout agree on how many elements a thread holds.
    llvm::MapVector<std::pair<Value, ArrayRef<unsigned>>, SmallVector<const GlobalAccess *>> groups;
    for (const GlobalAccess &access : accesses)
      if (access.pointers.getEncoding() == placeholder)
        groups[{classes.getOrInsertLeaderValue(access.pointer()), access.order}].push_back(&access);
    for (auto &[key, group] : groups) {
      std::swap(group.front(), *llvm::max_element(group, [](const GlobalAccess *left, const GlobalAccess *right) {
                  return left->pointers.getNumElements() < right->pointers.getNumElements();
                }));
      Attribute layout = getSharedLayout(group, getNumWarps(group.front()->op), lanes);
      for (const GlobalAccess *access : group)
        if (failed(resolver.choose(access->pointer(), {layout, false})))
          return failure();
    }
    if (failed(resolver.spread()))
      return failure();
    resolver.rewrite();
    return success();
  }

  LogicalResult resolveAuto(FunctionOpInterface function) {
    Resolver resolver(function, AutoEncodingAttr::get(&getContext()));
    SmallVector<SetAutoLayoutOp> setters;
    function.walk([&](SetAutoLayoutOp op) { setters.push_back(op); });
    for (SetAutoLayoutOp op : setters)
      if (Attribute layout = encodingOf(op.getResult());
          !isPlaceholder(layout) && failed(resolver.choose(op.getSrc(), {layout, false})))
        return failure();
    if (failed(resolver.spread()))
      return failure();
    resolver.rewrite();
    for (SetAutoLayoutOp op : setters)
      if (op.getSrc().getType() == op.getType()) {
        op.getResult().replaceAllUsesWith(op.getSrc());
        op.erase();
      }
    return success();
  }

  /// Layouts may be named on both sides of an operation that changes shapes, where one does not follow from the other.
  static LogicalResult verifyFit(FunctionOpInterface function) {
    WalkResult walk = function->walk([](Operation *op) {
      if (!relatesLayouts(op) || op->getNumOperands() == 0 || op->getNumResults() == 0 || hasFittingLayouts(op))
        return WalkResult::advance();
      Attribute operand = encodingOf(op->getOperand(0)), result = encodingOf(op->getResult(0));
      emitError(op->getLoc()) << base::wrongKernelPrefix << "the layout " << operand
                              << " of what this block is made of does not give the layout " << result
                              << ", which the block needs elsewhere; name one of them only, and convert the block with "
                                 "`ttgl.convert_layout`";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  static LogicalResult verify(FunctionOpInterface function) {
    WalkResult walk = walkUnresolved(function, [](Value value) {
      emitError(value.getLoc()) << base::wrongKernelPrefix << "no layout follows for this block, " << value.getType()
                                << "; name one, as in `ttgl.arange(0, N, layout=...)` or "
                                   "`ttgl.set_auto_layout(x, layout)`";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }
};

} // namespace

} // namespace triton::ttg

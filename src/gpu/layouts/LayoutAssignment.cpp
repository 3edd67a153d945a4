#include "gpu/layouts/LayoutAssignment.h"

#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/layouts/CarriedValues.h"
#include "gpu/layouts/LayoutRules.h"
#include "ir/AttributeNames.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

static Attribute encodingOf(Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); }

LayoutAssignment::LayoutAssignment(FunctionOpInterface function, const analysis::AxisInfoAnalysis &facts,
                                   unsigned numStages)
    : machine(gpu::getTarget(function).machine()), facts(facts), sources(facts, machine, numStages),
      equalValues(function) {
  function->walk([&](Operation *op) {
    if (isa<tt::StoreOp, tt::AtomicOpInterface>(op))
      written.insert(equalValues.firstOf(op->getOperand(0)));
  });
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    collect(op);
    // Regions of combinations and of elementwise code contain scalars.
    return isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  propagateForward();
  if (proposeForCombinations())
    propagateForward();
  propagateBackward();
  sources.addOperations(flexible, [&](Value value) -> ArrayRef<Attribute> { return candidates[value]; });
  for (LayoutVariable &variable : variableList)
    chooseInitial(variable);
  improve();
  if (remarks::areWanted(function))
    report();
}

//===----------------------------------------------------------------------===//
// Variables and demands
//===----------------------------------------------------------------------===//

void LayoutAssignment::addVariable(LayoutVariable variable) {
  for (Value member : variable.members)
    variableOf[member] = variableList.size();
  for (OpOperand *operand : variable.incoming)
    demandList.push_back({operand, unsigned(variableList.size())});
  variableList.push_back(std::move(variable));
}

void LayoutAssignment::collect(Operation *op) {
  sources.countExecutions(op);
  if (isa<ConvertLayoutOp>(op))
    return;
  if (computesInAnyLayout(op)) {
    flexible.push_back(op);
    return;
  }
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
    return collectRegions(op);
  if (isa<scf::YieldOp, scf::ConditionOp>(op) && isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op->getParentOp()))
    return; // Flows into the variables of the parent.
  // Reductions, scans, buffers and what only looks at elements take any layout, but compute once.
  bool isScattered = isScatteredLoad(op);
  bool takesAny = isScattered || isa<tt::ReduceOp, tt::ScanOp, tt::AssertOp, LocalAllocOp>(op);
  if (takesAny && op->getNumOperands() != 0 && isDistributed(op->getOperand(0))) {
    LayoutVariable variable;
    variable.operation = op;
    for (OpOperand &operand : op->getOpOperands())
      if (isDistributed(operand.get()))
        variable.incoming.push_back(&operand);
    for (Value result : op->getResults())
      if (isDistributed(result))
        variable.members.push_back(result);
    if (isScattered) // The layout in which neighbours are in different lanes, in case they are near after all.
      variable.candidates.push_back(encodingOf(op->getResult(0)));
    return addVariable(std::move(variable));
  }
  // Buffers take a tensor in any layout.
  if (auto store = dyn_cast<tt::MappedStoreOp>(op))
    return addVariable({nullptr, {}, {&store.getSrcMutable()}, {}, {}});
  // Whichever thread has an element counts it.
  if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
    LayoutVariable counted{nullptr, {}, {&histogram.getSrcMutable()}, {}, {}};
    if (histogram.getMask())
      counted.incoming.push_back(&histogram.getMaskMutable()[0]);
    return addVariable(std::move(counted));
  }
  for (OpOperand &operand : op->getOpOperands())
    if (isDistributed(operand.get()))
      demandList.push_back({&operand, std::nullopt});
}

/// Whether nothing is known of a load's neighbours, and no pass gave it a layout for another reason.
bool LayoutAssignment::isScatteredLoad(Operation *op) const {
  auto load = dyn_cast<tt::LoadOp>(op);
  if (!load || !isDistributed(load) || load.getIsVolatile() || written.contains(equalValues.firstOf(load.getPtr())))
    return false;
  auto blocked = dyn_cast<BlockedEncodingAttr>(encodingOf(load));
  if (!blocked || llvm::any_of(blocked.getSizePerThread(), [](unsigned size) { return size != 1; }))
    return false;
  std::optional<GlobalAccess> access = findGlobalAccess(op, facts, machine);
  return access && access->isScattered;
}

void LayoutAssignment::collectRegions(Operation *op) {
  forEachCarriedValue(op, [&](ArrayRef<Value> members, ArrayRef<OpOperand *> incoming) {
    if (isDistributed(members.front()))
      addVariable({nullptr, SmallVector<Value, 2>(members), SmallVector<OpOperand *, 2>(incoming), {}, {}});
  });
}

Attribute LayoutAssignment::wantedLayout(const LayoutDemand &demand) const {
  return demand.variable ? variableList[*demand.variable].layout : encodingOf(demand.operand->get());
}

Attribute LayoutAssignment::givenLayout(Value value) const {
  if (auto found = variableOf.find(value); found != variableOf.end()) {
    const LayoutVariable &variable = variableList[found->second];
    return variable.operation ? inferResultLayout(variable.operation, variable.layout) : variable.layout;
  }
  Operation *op = value.getDefiningOp();
  return op && computesInAnyLayout(op) ? Attribute() : encodingOf(value);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static bool append(SmallVectorImpl<Attribute> &layouts, Attribute layout) {
  if (!layout || layouts.size() >= tuned::mostLayouts || llvm::is_contained(layouts, layout))
    return false;
  layouts.push_back(layout);
  return true;
}

bool LayoutAssignment::addCandidates(Value value, llvm::ArrayRef<Attribute> layouts) {
  bool changed = false;
  for (Attribute layout : layouts)
    changed |= append(candidates[value], layout);
  return changed;
}

/// Layouts flow from anchors through all operations that can compute in them, and around loops.
void LayoutAssignment::propagateForward() {
  auto layoutsOf = [&](Value value) -> SmallVector<Attribute, 4> {
    value = stripConversions(value);
    Operation *op = value.getDefiningOp();
    if (!variableOf.contains(value) && !(op && computesInAnyLayout(op)))
      return {encodingOf(value)};
    auto found = candidates.find(value);
    return found == candidates.end() ? SmallVector<Attribute, 4>() : found->second;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : flexible)
      for (Value operand : op->getOperands())
        if (isDistributed(operand))
          for (Attribute layout : layoutsOf(operand))
            for (Value result : op->getResults())
              changed |= addCandidates(result, inferResultLayout(op, layout));
    for (LayoutVariable &variable : variableList) {
      for (OpOperand *incoming : variable.incoming)
        for (Attribute layout : layoutsOf(incoming->get()))
          changed |= append(variable.candidates, layout);
      for (Value member : variable.members)
        for (Attribute layout : variable.candidates)
          changed |= addCandidates(member, variable.operation ? inferResultLayout(variable.operation, layout) : layout);
    }
  }
  // Operations that no anchor reaches can stay as they are.
  for (Operation *op : flexible)
    for (Value result : op->getResults())
      if (candidates[result].empty() && op->getNumOperands() != 0)
        addCandidates(result, encodingOf(result));
}

/// Runs of `axis` in threads. Lanes are beside each other along the axis first, or along the others.
static Attribute proposeRuns(Operation *combination, ArrayRef<int64_t> shape, unsigned axis, bool lanesFollowAxis) {
  unsigned warps = getNumWarps(combination), lanes = getThreadsPerWarp(combination);
  int64_t perThread = llvm::product_of(shape) / (int64_t(warps) * lanes);
  SmallVector<unsigned> sizePerThread(shape.size(), 1), order;
  sizePerThread[axis] = unsigned(std::clamp<int64_t>(std::min(perThread, shape[axis]), 1, tuned::longestRun));
  for (unsigned dimension : llvm::reverse(llvm::seq<unsigned>(0, shape.size())))
    if (dimension != axis)
      order.push_back(dimension);
  order.insert(lanesFollowAxis ? order.begin() : order.end(), axis);
  return BlockedEncodingAttr::getDefault(combination->getContext(), shape, sizePerThread, order, warps, lanes);
}

/// Whether `value` is computed from a tensor of its shape that the loop around `op` carries.
static bool dependsOnCarried(Value value, Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (loop && !open.empty()) {
    Value next = open.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(next.getType());
    if (!type || type.getShape() != shape || !seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next); argument && argument.getOwner() == loop.getBody())
      return true;
    if (Operation *source = next.getDefiningOp(); source && computesInAnyLayout(source))
      llvm::append_range(open, source->getOperands());
  }
  return false;
}

/// Accesses of memory spread rows over warps and repeat that for the next rows. Then a scan over rows exchanges many
/// totals between warps: it also may have runs of its axis in threads, next to each other in lanes. A reduction of what
/// a loop carries may have other lanes for other results, so that lanes exchange less in each iteration. Where loads
/// bring what is reduced, their layouts are better: measured on an H200, 0.62 to 0.91 of the speed in five kernels.
bool LayoutAssignment::proposeForCombinations() {
  for (LayoutVariable &variable : variableList) {
    if (variable.candidates.empty() || !isa_and_nonnull<tt::ScanOp, tt::ReduceOp>(variable.operation))
      continue;
    Value combined = variable.operation->getOperand(0);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(combined.getType()).getShape();
    Attribute layout;
    if (auto scan = dyn_cast<tt::ScanOp>(variable.operation))
      layout = proposeRuns(scan, shape, scan.getAxis(), /*lanesFollowAxis=*/true);
    else if (auto reduce = cast<tt::ReduceOp>(variable.operation);
             shape.size() > 1 && dependsOnCarried(combined, reduce))
      layout = proposeRuns(reduce, shape, reduce.getAxis(), /*lanesFollowAxis=*/false);
    if (append(variable.candidates, layout))
      proposed.insert(layout);
  }
  return !proposed.empty();
}

/// The layouts that anchors require reach the variables behind their operands, and so do the layouts of variables:
/// a count that a loop carries beside a sum has no anchor of its own.
void LayoutAssignment::propagateBackward() {
  llvm::DenseSet<Key> visited;
  for (const LayoutDemand &demand : demandList)
    if (!demand.variable)
      demandBackward(demand.operand->get(), encodingOf(demand.operand->get()), visited);
  for (const LayoutVariable &variable : variableList)
    for (Attribute layout : SmallVector<Attribute, 4>(variable.candidates))
      for (OpOperand *incoming : variable.incoming)
        demandBackward(incoming->get(), layout, visited);
}

void LayoutAssignment::demandBackward(Value value, Attribute layout, llvm::DenseSet<Key> &visited) {
  SmallVector<Key> worklist{{value, layout}};
  while (!worklist.empty()) {
    auto [next, wanted] = worklist.pop_back_val();
    next = stripConversions(next);
    if (!wanted || !visited.insert({next, wanted}).second)
      continue;
    if (auto found = variableOf.find(next); found != variableOf.end()) {
      LayoutVariable &variable = variableList[found->second];
      if (variable.keepsLayout() && append(variable.candidates, wanted))
        for (OpOperand *incoming : variable.incoming)
          worklist.push_back({incoming->get(), wanted});
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!op || !computesInAnyLayout(op))
      continue;
    Attribute operandLayout = inferOperandLayout(op, wanted);
    for (Value operand : op->getOperands())
      if (isDistributed(operand))
        worklist.push_back({operand, operandLayout});
  }
}

/// Accumulators stay in the matrix layout. Addresses and other values get the layout that reached them first.
void LayoutAssignment::chooseInitial(LayoutVariable &variable) {
  if (variable.candidates.empty())
    variable.candidates.push_back(encodingOf(variable.incoming.front()->get()));
  auto matrix = llvm::find_if(variable.candidates, [&](Attribute layout) {
    return isa<MatrixEncodingInterface>(layout) && !isa_and_nonnull<tt::LoadOp>(variable.operation);
  });
  setLayout(variable, matrix != variable.candidates.end() ? *matrix : variable.candidates.front());
}

void LayoutAssignment::setLayout(LayoutVariable &variable, Attribute layout) {
  variable.layout = layout;
  for (Value member : variable.members)
    sources.setGiven(member, givenLayout(member));
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

double LayoutAssignment::totalCost() {
  sources.forgetAvailable();
  double cost = 0;
  for (const LayoutDemand &demand : demandList)
    cost += sources.meet(demand.operand->get(), wantedLayout(demand));
  for (const LayoutVariable &variable : variableList)
    if (variable.operation)
      cost += sources.computationCost(variable.operation, variable.layout);
  return cost;
}

/// Changes single variables as long as a change reduces the cost; before, scattered loads together, since what several
/// of them bring has one conversion, however many of them change alone, and all that may have a layout that is proposed
/// for combinations.
void LayoutAssignment::improve() {
  std::size_t choices = 0;
  SmallVector<LayoutVariable *> loads;
  llvm::SetVector<Attribute> layoutsOfLoads;
  for (LayoutVariable &variable : variableList) {
    choices += variable.candidates.size() - 1;
    if (isa_and_nonnull<tt::LoadOp>(variable.operation)) {
      loads.push_back(&variable);
      layoutsOfLoads.insert_range(variable.candidates);
    }
  }
  if (choices != 0 && choices * flexible.size() <= tuned::mostLayoutWork) {
    double best = totalCost();
    for (Attribute layout : layoutsOfLoads)
      changeIfBetter(loads, layout, best);
    auto all = llvm::map_to_vector(variableList, [](LayoutVariable &variable) { return &variable; });
    for (Attribute layout : proposed)
      changeIfBetter(all, layout, best);
    bool improved = true;
    for (unsigned sweep = 0; improved && sweep < tuned::mostSweeps; ++sweep) {
      improved = false;
      for (LayoutVariable &variable : variableList)
        for (Attribute candidate : variable.candidates)
          improved |= changeIfBetter(&variable, candidate, best);
    }
  }
  sources.forgetAvailable();
}

/// Gives `layout` to all of `changed` that may have it; takes that back unless it costs less than `best`.
bool LayoutAssignment::changeIfBetter(ArrayRef<LayoutVariable *> changed, Attribute layout, double &best) {
  if (sources.comparisons() > tuned::mostLayoutComparisons)
    return false;
  SmallVector<std::pair<LayoutVariable *, Attribute>> previous;
  for (LayoutVariable *variable : changed)
    if (variable->layout != layout && llvm::is_contained(variable->candidates, layout)) {
      previous.push_back({variable, variable->layout});
      setLayout(*variable, layout);
    }
  if (previous.empty())
    return false;
  if (double cost = totalCost(); cost < best) {
    best = cost;
    return true;
  }
  for (auto [variable, before] : previous)
    setLayout(*variable, before);
  return false;
}

/// Says which layouts were compared for each variable, and what the function costs with each while the others stay.
void LayoutAssignment::report() {
  for (LayoutVariable &variable : variableList) {
    if (variable.candidates.size() < 2)
      continue;
    Location place = variable.operation ? variable.operation->getLoc() : variable.members.front().getLoc();
    remarks::InFlightRemark remark = remarks::decided(place, remarks::layout, "Layout");
    if (!remark)
      return;
    Builder builder(variable.layout.getContext());
    SmallVector<Attribute> facts;
    Attribute chosen = variable.layout;
    for (Attribute candidate : variable.candidates) {
      setLayout(variable, candidate);
      facts.push_back(
          builder.getDictionaryAttr({builder.getNamedAttr("encoding", candidate),
                                     builder.getNamedAttr("clocks", builder.getF64FloatAttr(totalCost()))}));
    }
    setLayout(variable, chosen);
    Value held = variable.operation ? variable.incoming.front()->get() : variable.members.front();
    auto type = cast<RankedTensorType>(held.getType());
    remark << remarks::Fact("shape", Attribute(builder.getI64ArrayAttr(type.getShape())))
           << remarks::Fact("element", type.getElementType()) << remarks::Fact("encoding", variable.layout)
           << remarks::Fact("candidates", Attribute(builder.getArrayAttr(facts)));
  }
  sources.forgetAvailable();
}

} // namespace triton::ttg

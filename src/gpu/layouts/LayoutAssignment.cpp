#include "gpu/layouts/LayoutAssignment.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/layouts/CarriedValues.h"
#include "gpu/layouts/LayoutRules.h"
#include "ir/AttributeNames.h"
#include "ir/Reached.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

static bool isDistributed(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getEncoding();
}

static Attribute encodingOf(Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); }

Value stripConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}

LayoutAssignment::LayoutAssignment(FunctionOpInterface function, const analysis::AxisInfoAnalysis &facts,
                                   unsigned numStages)
    : machine(gpu::getTarget(function).machine()), equal(facts), equalValues(function), numStages(numStages) {
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
  frequencies[op] = analysis::executionFrequency(op);
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
  std::optional<GlobalAccess> access = findGlobalAccess(op, equal.axisInfo(), machine);
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
void LayoutAssignment::chooseInitial(LayoutVariable &variable) const {
  if (variable.candidates.empty())
    variable.candidates.push_back(encodingOf(variable.incoming.front()->get()));
  auto matrix = llvm::find_if(variable.candidates, [&](Attribute layout) {
    return isa<MatrixEncodingInterface>(layout) && !isa_and_nonnull<tt::LoadOp>(variable.operation);
  });
  variable.layout = matrix != variable.candidates.end() ? *matrix : variable.candidates.front();
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static Operation *placeOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  return &cast<BlockArgument>(value).getOwner()->front();
}

/// What `inferOperandLayout` says, which is slow for other shapes.
Attribute LayoutAssignment::operandLayoutOf(Operation *op, Attribute layout) {
  auto [entry, isNew] = operandLayouts.try_emplace({op, layout});
  if (isNew)
    entry->second = inferOperandLayout(op, layout);
  return entry->second;
}

/// Whether `value` comes from or goes to shared memory, whatever its layout: a buffer holds it, or it is loaded where
/// copies bring it ahead of products.
bool LayoutAssignment::isInSharedMemory(Value value) const {
  auto isBuffered = [](Operation *user) {
    return isa<LocalAllocOp>(user) ||
           (isa<ConvertLayoutOp>(user) && llvm::any_of(user->getUsers(), llvm::IsaPred<LocalAllocOp>));
  };
  if (llvm::any_of(value.getUsers(), isBuffered))
    return true;
  auto load = value.getDefiningOp<tt::LoadOp>();
  if (!load)
    return false;
  unsigned width = analysis::getVectorWidth(equal.axisInfo(), load.getPtr(), load.getMask(), machine.accessBytes);
  return isCopiedAhead(load, width, numStages);
}

double LayoutAssignment::conversionCostAt(Value value, Attribute from, Attribute to) {
  auto [isShared, isUnknown] = sharedValues.try_emplace(value, false);
  if (isUnknown)
    isShared->second = isInSharedMemory(value);
  auto [entry, isNew] = conversionCosts.try_emplace({value.getType(), {from, to}, unsigned(isShared->second)}, 0.0);
  if (isNew)
    entry->second =
        analysis::conversionCost(cast<RankedTensorType>(value.getType()), from, to, machine, isShared->second);
  auto place = frequencies.find(placeOf(value));
  return entry->second * (place == frequencies.end() ? 1 : place->second) + heldCostOf(value, to);
}

double LayoutAssignment::heldCostOf(Value value, Attribute layout) {
  auto [entry, isNew] = heldCosts.try_emplace({value, layout}, 0.0);
  if (isNew)
    entry->second = analysis::heldCost(value, layout, equal, machine);
  return entry->second;
}

double LayoutAssignment::computationCostAt(Operation *op, Attribute layout) {
  auto [entry, isNew] = computationCosts.try_emplace({op, layout}, 0.0);
  if (isNew)
    entry->second = analysis::computationCost(op, layout, equal, machine) * frequencies[op];
  return entry->second;
}

/// Whether neighbours along one dimension are what code for groups of elements gets. Of code for single elements this
/// holds in every layout.
static bool groupsNeighbours(Operation *op, Attribute layout) {
  unsigned size = 1;
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    size = unsigned(assembly.getPackedElement());
  else if (auto map = dyn_cast<tt::MapElementwiseOp>(op))
    size = unsigned(map.getPack());
  if (size == 1)
    return true;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  layout::LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  ArrayRef<layout::Basis> bases = linear.findInput("register")->bases;
  std::optional<size_t> along;
  for (unsigned bit = 0; (1u << bit) < size; ++bit) {
    if (bit == bases.size() || llvm::count_if(bases[bit], [](int32_t distance) { return distance != 0; }) != 1)
      return false;
    size_t dimension = llvm::find_if(bases[bit], [](int32_t distance) { return distance != 0; }) - bases[bit].begin();
    if (bases[bit][dimension] != 1 << bit || along.value_or(dimension) != dimension)
      return false;
    along = dimension;
  }
  return true;
}

/// Computes the defining operation in `layout`, with what it needs for that. Code for groups of elements may know the
/// places in a group apart: it does not get other groups than operands bring along because its users want a layout.
double LayoutAssignment::computeCost(Value value, Attribute layout) {
  Operation *op = value.getDefiningOp();
  if (!llvm::is_contained(candidates.lookup(value), layout) && !groupsNeighbours(op, layout))
    return std::numeric_limits<double>::infinity();
  Attribute operandLayout = operandLayoutOf(op, layout);
  if (!operandLayout)
    return std::numeric_limits<double>::infinity();
  double cost = computationCostAt(op, layout) + (analysis::isView(op) ? 0 : heldCostOf(value, layout));
  for (Value operand : op->getOperands())
    if (isDistributed(operand))
      cost += findSource(operand, operandLayout).cost;
  return cost;
}

LayoutSource LayoutAssignment::findSource(Value value, Attribute layout) {
  value = stripConversions(value);
  if (Attribute given = givenLayout(value))
    return given == layout ? LayoutSource() : LayoutSource{conversionCostAt(value, given, layout), given};
  if (const LayoutSource *known = knownSource(value, layout))
    return *known;
  visitReachedFirst(
      Key(value, layout), [&](Key key, SmallVectorImpl<Key> &operands) { appendOpenSources(key, operands); },
      [&](Key key) {
        LayoutSource source = compareSources(key.first, key.second);
        sources[key.first].push_back({key.second, source});
      });
  return *knownSource(value, layout);
}

const LayoutSource *LayoutAssignment::knownSource(Value value, Attribute layout) const {
  auto found = sources.find(value);
  if (found == sources.end())
    return nullptr;
  for (auto &[known, source] : found->second)
    if (known == layout)
      return &source;
  return nullptr;
}

/// The operands whose sources `compareSources` asks for and that are not known yet.
void LayoutAssignment::appendOpenSources(Key key, SmallVectorImpl<Key> &open) {
  auto [value, layout] = key;
  SmallVector<Attribute, 2> existing = available.lookup(value);
  if (llvm::is_contained(existing, layout))
    return;
  Operation *op = value.getDefiningOp();
  auto append = [&](Attribute computed) {
    Attribute operandLayout = operandLayoutOf(op, computed);
    if (!operandLayout)
      return;
    for (Value operand : op->getOperands())
      if (Key next{stripConversions(operand), operandLayout};
          isDistributed(operand) && !givenLayout(next.first) && !knownSource(next.first, next.second))
        open.push_back(next);
  };
  append(layout);
  for (Attribute from : candidates.lookup(value))
    if (from != layout && !llvm::is_contained(existing, from))
      append(from);
}

LayoutSource LayoutAssignment::compareSources(Value value, Attribute layout) {
  ++comparisons;
  SmallVector<Attribute, 2> existing = available.lookup(value);
  LayoutSource best;
  if (llvm::is_contained(existing, layout))
    return best;
  best.cost = computeCost(value, layout);
  auto consider = [&](double cost, Attribute from) {
    if (cost < best.cost)
      best = {cost, from};
  };
  for (Attribute from : existing)
    consider(conversionCostAt(value, from, layout), from);
  for (Attribute from : SmallVector<Attribute>(candidates.lookup(value)))
    if (from != layout && !llvm::is_contained(existing, from))
      consider(computeCost(value, from) + conversionCostAt(value, from, layout), from);
  return best;
}

void LayoutAssignment::makeAvailable(Value value, Attribute layout) {
  append(available[value], layout);
  // What this changes: the sources of the value and of all that is computed from it. Those of a result are known only
  // while those of its operands are.
  sources.erase(value);
  SmallVector<Value> changed{value};
  while (!changed.empty())
    for (Operation *user : changed.pop_back_val().getUsers())
      for (Value result : user->getResults())
        if (sources.erase(result) || isa<ConvertLayoutOp>(user))
          changed.push_back(result);
}

void LayoutAssignment::forgetAvailable() {
  available.clear();
  sources.clear();
}

/// Does what findSource returns, for its effect on later costs; returns its cost.
double LayoutAssignment::meet(Value value, Attribute layout) {
  double cost = findSource(value, layout).cost;
  visitReachedFirst(
      Key(stripConversions(value), layout), [&](Key key, SmallVectorImpl<Key> &needed) { appendNeeded(key, needed); },
      [&](Key key) {
        if (!givenLayout(key.first) && !llvm::is_contained(available[key.first], key.second))
          makeAvailable(key.first, key.second);
      });
  return cost;
}

/// What is not available yet of what the value is computed or converted from.
void LayoutAssignment::appendNeeded(Key key, SmallVectorImpl<Key> &needed) {
  auto [value, layout] = key;
  if (givenLayout(value) || llvm::is_contained(available[value], layout))
    return;
  if (Attribute from = findSource(value, layout).from)
    needed.push_back({value, from});
  else if (Attribute operandLayout = operandLayoutOf(value.getDefiningOp(), layout))
    for (Value operand : value.getDefiningOp()->getOperands())
      if (isDistributed(operand))
        needed.push_back({stripConversions(operand), operandLayout});
}

double LayoutAssignment::totalCost() {
  forgetAvailable();
  double cost = 0;
  for (const LayoutDemand &demand : demandList)
    cost += meet(demand.operand->get(), wantedLayout(demand));
  for (const LayoutVariable &variable : variableList)
    if (variable.operation)
      cost += computationCostAt(variable.operation, variable.layout);
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
  forgetAvailable();
}

/// Gives `layout` to all of `changed` that may have it; takes that back unless it costs less than `best`.
bool LayoutAssignment::changeIfBetter(ArrayRef<LayoutVariable *> changed, Attribute layout, double &best) {
  if (comparisons > tuned::mostLayoutComparisons)
    return false;
  SmallVector<std::pair<LayoutVariable *, Attribute>> previous;
  for (LayoutVariable *variable : changed)
    if (variable->layout != layout && llvm::is_contained(variable->candidates, layout))
      previous.push_back({variable, std::exchange(variable->layout, layout)});
  if (previous.empty())
    return false;
  if (double cost = totalCost(); cost < best) {
    best = cost;
    return true;
  }
  for (auto [variable, before] : previous)
    variable->layout = before;
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
    for (Attribute candidate : variable.candidates) {
      Attribute chosen = std::exchange(variable.layout, candidate);
      facts.push_back(
          builder.getDictionaryAttr({builder.getNamedAttr("encoding", candidate),
                                     builder.getNamedAttr("clocks", builder.getF64FloatAttr(totalCost()))}));
      variable.layout = chosen;
    }
    Value held = variable.operation ? variable.incoming.front()->get() : variable.members.front();
    auto type = cast<RankedTensorType>(held.getType());
    remark << remarks::Fact("shape", Attribute(builder.getI64ArrayAttr(type.getShape())))
           << remarks::Fact("element", type.getElementType()) << remarks::Fact("encoding", variable.layout)
           << remarks::Fact("candidates", Attribute(builder.getArrayAttr(facts)));
  }
  forgetAvailable();
}

} // namespace triton::ttg

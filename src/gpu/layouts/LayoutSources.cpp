#include "gpu/layouts/LayoutSources.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/layouts/LayoutRules.h"
#include "ir/Reached.h"

using namespace mlir;

namespace triton::ttg {

static constexpr double impossible = std::numeric_limits<double>::infinity();

bool isDistributed(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getEncoding();
}

Value stripConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}

//===----------------------------------------------------------------------===//
// Values and layouts
//===----------------------------------------------------------------------===//

static Operation *placeOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  return &cast<BlockArgument>(value).getOwner()->front();
}

void LayoutSources::countExecutions(Operation *op) { frequencies[op] = analysis::executionFrequency(op); }

unsigned LayoutSources::numberOf(Attribute layout) {
  auto [entry, isNew] = layoutNumbers.try_emplace(layout, layouts.size());
  if (isNew)
    layouts.push_back(layout);
  return entry->second;
}

/// The number of a value without its conversions. A value that is not known yet has the layout of its type.
unsigned LayoutSources::nodeOf(Value value) {
  value = stripConversions(value);
  auto [entry, isNew] = nodeNumbers.try_emplace(value, nodes.size());
  if (isNew) {
    Node &node = nodes.emplace_back();
    node.value = value;
    node.given = numberOf(cast<RankedTensorType>(value.getType()).getEncoding());
    auto place = frequencies.find(placeOf(value));
    node.frequency = place == frequencies.end() ? 1 : place->second;
  }
  return entry->second;
}

void LayoutSources::addOperations(ArrayRef<Operation *> flexible, Candidates candidates) {
  SmallVector<unsigned> computed;
  for (Operation *op : flexible)
    for (Value result : op->getResults())
      if (isDistributed(result)) {
        computed.push_back(nodeOf(result));
        nodes[computed.back()].operation = op;
      }
  for (unsigned node : computed)
    connect(node, candidates);
}

void LayoutSources::connect(unsigned node, Candidates candidates) {
  Operation *op = nodes[node].operation;
  for (Value operand : op->getOperands())
    if (isDistributed(operand)) {
      unsigned number = nodeOf(operand);
      nodes[node].operands.push_back(number);
      nodes[number].users.push_back(node);
    }
  for (Attribute layout : candidates(nodes[node].value))
    nodes[node].candidates.push_back(numberOf(layout));
  nodes[node].given = none;
  nodes[node].isView = analysis::isView(op);
}

void LayoutSources::setGiven(Value value, Attribute layout) {
  unsigned node = nodeOf(value);
  nodes[node].given = numberOf(layout);
}

/// The node, without what another round has left.
LayoutSources::Node &LayoutSources::nodeAt(unsigned number) {
  Node &node = nodes[number];
  if (node.round != round) {
    node.round = round;
    node.available.clear();
    node.isAnyKnown = false;
    for (Entry &entry : node.entries)
      entry.isKnown = entry.isOpened = false;
  }
  return node;
}

/// Holds until another entry of the node is asked for.
LayoutSources::Entry &LayoutSources::entryOf(unsigned number, unsigned layout) {
  Node &node = nodeAt(number);
  for (Entry &entry : node.entries)
    if (entry.layout == layout)
      return entry;
  Entry &entry = node.entries.emplace_back();
  entry.layout = layout;
  if (node.operation)
    if (Attribute operandLayout = inferOperandLayout(node.operation, layouts[layout]))
      entry.operandLayout = numberOf(operandLayout);
  return entry;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Whether `value` comes from or goes to shared memory, whatever its layout: a buffer holds it, or it is loaded where
/// copies bring it ahead of products.
bool LayoutSources::isInSharedMemory(Value value) const {
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

double LayoutSources::computationCost(Operation *op, Attribute layout) {
  auto [entry, isNew] = computationCosts.try_emplace({op, layout}, 0.0);
  if (isNew)
    entry->second = analysis::computationCost(op, layout, equal, machine) * frequencies[op];
  return entry->second;
}

double LayoutSources::costOfHolding(unsigned node, unsigned layout) {
  Entry &entry = entryOf(node, layout);
  if (!entry.held)
    entry.held = analysis::heldCost(nodes[node].value, layouts[layout], equal, machine);
  return *entry.held;
}

double LayoutSources::costOfConverting(unsigned number, unsigned from, unsigned to) {
  Entry &entry = entryOf(number, to);
  for (auto [known, cost] : entry.conversions)
    if (known == from)
      return cost;
  Node &node = nodes[number];
  if (!node.isInSharedMemory)
    node.isInSharedMemory = isInSharedMemory(node.value);
  bool isShared = *node.isInSharedMemory;
  auto type = cast<RankedTensorType>(node.value.getType());
  auto [once, isNew] = conversionCosts.try_emplace({type, {layouts[from], layouts[to]}, unsigned(isShared)}, 0.0);
  if (isNew)
    once->second = analysis::conversionCost(type, layouts[from], layouts[to], machine, isShared);
  double cost = once->second * node.frequency + costOfHolding(number, to);
  entry.conversions.push_back({from, cost});
  return cost;
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
double LayoutSources::costOfComputing(unsigned number, unsigned layout) {
  Node &node = nodes[number];
  Entry &entry = entryOf(number, layout);
  if (!entry.computing) {
    Operation *op = node.operation;
    bool isPossible = entry.operandLayout != none &&
                      (llvm::is_contained(node.candidates, layout) || groupsNeighbours(op, layouts[layout]));
    entry.computing = impossible;
    if (isPossible)
      entry.computing = computationCost(op, layouts[layout]) + (node.isView ? 0 : costOfHolding(number, layout));
  }
  if (*entry.computing == impossible)
    return impossible;
  double cost = *entry.computing;
  unsigned operandLayout = entry.operandLayout;
  for (unsigned operand : node.operands)
    cost += sourceOf(operand, operandLayout).cost;
  return cost;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// All that it depends on is known.
LayoutSources::Found LayoutSources::sourceOf(unsigned node, unsigned layout) {
  if (unsigned given = nodes[node].given; given != none)
    return given == layout ? Found{0, none} : Found{costOfConverting(node, given, layout), given};
  const Entry &entry = entryOf(node, layout);
  assert(entry.isKnown && "what an operand costs is asked for first");
  return {entry.cost, entry.from};
}

/// Finds the source of a value, and before it those of all that it may be computed from. It does not recurse: a chain
/// of definitions may be as long as a program, and a stack is not.
void LayoutSources::findOpen(unsigned node, unsigned layout) {
  SmallVector<Key> open{{node, layout}};
  while (!open.empty()) {
    Key key = open.back();
    Entry &entry = entryOf(key.first, key.second);
    if (entry.isKnown) {
      open.pop_back();
    } else if (std::exchange(entry.isOpened, true)) {
      compare(key);
      open.pop_back();
    } else {
      size_t before = open.size();
      appendOpen(key, open);
      std::reverse(open.begin() + before, open.end());
    }
  }
}

/// The operands whose sources `compare` asks for and that are not known yet.
void LayoutSources::appendOpen(Key key, SmallVectorImpl<Key> &open) {
  auto [number, layout] = key;
  const Node &node = nodeAt(number);
  if (llvm::is_contained(node.available, layout))
    return;
  auto append = [&](unsigned computed) {
    unsigned operandLayout = entryOf(number, computed).operandLayout;
    if (operandLayout == none)
      return;
    for (unsigned operand : node.operands)
      if (nodes[operand].given == none && !entryOf(operand, operandLayout).isKnown)
        open.push_back({operand, operandLayout});
  };
  append(layout);
  for (unsigned from : node.candidates)
    if (from != layout && !llvm::is_contained(node.available, from))
      append(from);
}

void LayoutSources::compare(Key key) {
  auto [number, layout] = key;
  ++comparisonCount;
  Node &node = nodeAt(number);
  Found best{0, none};
  if (!llvm::is_contained(node.available, layout)) {
    best.cost = costOfComputing(number, layout);
    auto consider = [&](double cost, unsigned from) {
      if (cost < best.cost)
        best = {cost, from};
    };
    for (unsigned from : node.available)
      consider(costOfConverting(number, from, layout), from);
    for (unsigned from : node.candidates)
      if (from != layout && !llvm::is_contained(node.available, from))
        consider(costOfComputing(number, from) + costOfConverting(number, from, layout), from);
  }
  Entry &entry = entryOf(number, layout);
  entry.isKnown = true;
  entry.cost = best.cost;
  entry.from = best.from;
  node.isAnyKnown = true;
}

LayoutSource LayoutSources::find(Value value, Attribute layout) {
  unsigned node = nodeOf(value), wanted = numberOf(layout);
  if (nodes[node].given == none)
    findOpen(node, wanted);
  Found found = sourceOf(node, wanted);
  return {found.cost, found.from == none ? Attribute() : layouts[found.from]};
}

//===----------------------------------------------------------------------===//
// What is available
//===----------------------------------------------------------------------===//

void LayoutSources::makeAvailable(Value value, Attribute layout) { makeAvailable(nodeOf(value), numberOf(layout)); }

void LayoutSources::makeAvailable(unsigned number, unsigned layout) {
  Node &node = nodeAt(number);
  if (node.available.size() < tuned::mostLayouts && !llvm::is_contained(node.available, layout))
    node.available.push_back(layout);
  // What this changes: the sources of the value and of all that is computed from it. Those of a result are known only
  // while those of its operands are.
  auto forget = [&](Node &changed) {
    changed.isAnyKnown = false;
    for (Entry &entry : changed.entries)
      entry.isKnown = entry.isOpened = false;
  };
  forget(node);
  SmallVector<unsigned> changed{number};
  while (!changed.empty())
    for (unsigned user : nodes[changed.pop_back_val()].users)
      if (Node &next = nodeAt(user); next.isAnyKnown) {
        forget(next);
        changed.push_back(user);
      }
}

void LayoutSources::forgetAvailable() { ++round; }

double LayoutSources::meet(Value value, Attribute layout) {
  double cost = find(value, layout).cost;
  visitReachedFirst(
      Key(nodeOf(value), numberOf(layout)), [&](Key key, SmallVectorImpl<Key> &needed) { appendNeeded(key, needed); },
      [&](Key key) {
        if (nodes[key.first].given == none && !llvm::is_contained(nodeAt(key.first).available, key.second))
          makeAvailable(key.first, key.second);
      });
  return cost;
}

/// What is not available yet of what the value is computed or converted from.
void LayoutSources::appendNeeded(Key key, SmallVectorImpl<Key> &needed) {
  auto [number, layout] = key;
  if (nodes[number].given != none || llvm::is_contained(nodeAt(number).available, layout))
    return;
  findOpen(number, layout);
  const Entry &entry = entryOf(number, layout);
  if (entry.from != none)
    needed.push_back({number, entry.from});
  else if (entry.operandLayout != none)
    for (unsigned operand : nodes[number].operands)
      needed.push_back({operand, entry.operandLayout});
}

} // namespace triton::ttg

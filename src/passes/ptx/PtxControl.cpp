// Guards, branches and loops. Where a branch to a later place is taken, the instructions up to there are under a guard.
// A branch back makes a loop, of scalars alone: elements of tensors would wait for one another.
#include "passes/ptx/PtxTranslator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using triton::ptx::PtxInstruction;
using triton::ptx::PtxText;

namespace triton::tt {

Value PtxTranslator::conjunction(Value left, Value right) {
  return !left ? right : !right ? left : Value(make<arith::AndIOp>(left, right));
}

Value PtxTranslator::negation(Value value) { return make<arith::XOrIOp>(value, integer(1, 1)); }

/// The elements for which the instruction runs; a null value: all. None if the guard is not a predicate.
std::optional<Value> PtxTranslator::guardOf(const PtxInstruction &instruction) {
  if (instruction.predicate.empty())
    return active;
  Value *guard = find(instruction.predicate);
  if (!guard || bitsOf(*guard) != 1)
    return std::nullopt;
  return conjunction(active, instruction.isNegated ? negation(*guard) : *guard);
}

bool PtxTranslator::branch(const PtxInstruction &instruction, Value guard) {
  if (instruction.operands.size() != 1 || instruction.operands[0].size() != 1)
    return false;
  Value taken = guard ? guard : integer(1, 1);
  Value &waiting = arrivals[instruction.operands[0][0]];
  waiting = waiting ? Value(make<arith::OrIOp>(waiting, taken)) : taken;
  active = guard ? conjunction(active, negation(guard)) : integer(1, 0);
  return true;
}

/// The elements that branched to the label, which then wait no longer.
Value PtxTranslator::takeArrivals(llvm::StringRef label) {
  Value waiting = arrivals.lookup(label);
  arrivals.erase(label);
  return waiting ? waiting : integer(1, 0);
}

/// Those that branched to the label go on.
void PtxTranslator::arrive(llvm::StringRef label) {
  Value waiting = takeArrivals(label);
  if (active)
    active = make<arith::OrIOp>(active, waiting);
}

/// The last branch of the instructions from `begin` on that goes to the label; none if it is not a loop's.
static std::optional<unsigned> findBranchBack(const PtxText &text, llvm::StringRef label, unsigned begin) {
  std::optional<unsigned> last;
  for (unsigned i = begin; i < text.instructions.size(); ++i) {
    const PtxInstruction &instruction = text.instructions[i];
    if (instruction.opcode == "bra" && instruction.operands.size() == 1 && instruction.operands[0][0] == label)
      last = i;
  }
  return last;
}

/// The labels outside of the instructions from `begin` to `end` to which some of them branch.
static SmallVector<llvm::StringRef> findExits(const PtxText &text, unsigned begin, unsigned end) {
  SmallVector<llvm::StringRef> exits;
  for (unsigned i = begin; i <= end; ++i) {
    const PtxInstruction &instruction = text.instructions[i];
    if (instruction.opcode != "bra" || instruction.operands.size() != 1)
      continue;
    llvm::StringRef target = instruction.operands[0][0];
    bool isInside = llvm::any_of(text.labels, [&](const ptx::PtxLabel &label) {
      return label.name == target && label.instruction >= begin && label.instruction <= end;
    });
    if (!isInside && !llvm::is_contained(exits, target))
      exits.push_back(target);
  }
  return exits;
}

/// The instructions from the label to the last branch to it.
bool PtxTranslator::translateLoop(const PtxText &text, llvm::StringRef label, unsigned begin, unsigned end) {
  if (shape || active)
    return false;
  SmallVector<llvm::StringRef> exits = findExits(text, begin, end);
  SmallVector<Value *> variables;
  for (Value &operand : operands)
    variables.push_back(&operand);
  for (auto &entry : registers)
    variables.push_back(&entry.second);
  SmallVector<Value> values = llvm::map_to_vector(variables, [](Value *variable) { return *variable; });
  SmallVector<Type> types(TypeRange{ValueRange(values)});
  types.append(exits.size(), b.getI1Type()); // which exit was taken
  SmallVector<Location> places(types.size(), loc);
  auto loop = emit<scf::WhileOp>(types, values);
  {
    OpBuilder::InsertionGuard inserted(b);
    auto before = llvm::ArrayRef(types).take_front(values.size());
    Block *body = b.createBlock(&loop.getBefore(), {}, before, llvm::ArrayRef(places).take_front(values.size()));
    for (auto [variable, argument] : llvm::zip_equal(variables, body->getArguments()))
      *variable = argument;
    if (!translateRange(text, begin, end + 1))
      return false;
    SmallVector<Value> ends = llvm::map_to_vector(variables, [](Value *variable) { return *variable; });
    Value again = takeArrivals(label);
    for (llvm::StringRef exit : exits)
      ends.push_back(takeArrivals(exit));
    if (!arrivals.empty())
      return false;
    emit<scf::ConditionOp>(again, ends);
    Block *next = b.createBlock(&loop.getAfter(), {}, types, places);
    emit<scf::YieldOp>(next->getArguments().take_front(values.size()));
  }
  for (auto [variable, result] : llvm::zip(variables, loop.getResults()))
    *variable = result;
  active = {};
  for (auto [exit, taken] : llvm::zip_equal(exits, loop.getResults().take_back(exits.size()))) {
    arrivals[exit] = taken;
    active = conjunction(active, negation(taken));
  }
  return true;
}

bool PtxTranslator::translateRange(const PtxText &text, unsigned begin, unsigned end) {
  for (unsigned i = begin; i < end; ++i) {
    for (const ptx::PtxLabel &label : text.labels) {
      if (label.instruction != i || (i == begin && label.name == currentLoop))
        continue;
      std::optional<unsigned> last = findBranchBack(text, label.name, i);
      if (!last) {
        arrive(label.name);
        continue;
      }
      llvm::StringRef outer = std::exchange(currentLoop, label.name);
      if (*last >= end || !translateLoop(text, label.name, i, *last))
        return fail(text.instructions[*last]);
      currentLoop = outer;
      i = *last + 1;
    }
    if (i < end && !translate(text.instructions[i]))
      return fail(text.instructions[i]);
  }
  return true;
}

bool PtxTranslator::translate(const PtxText &text) {
  auto declares = [&](const ptx::PtxDeclaration &declaration) { return declare(declaration); };
  if (!llvm::all_of(text.declarations, declares) || !translateRange(text, 0, unsigned(text.instructions.size())))
    return false;
  for (const ptx::PtxLabel &label : text.labels)
    if (label.instruction == text.instructions.size())
      arrive(label.name);
  return arrivals.empty(); // A branch to a label that is not there.
}

} // namespace triton::tt

// Finds the names that statements may read before they assign them.
#include "frontend/lowering/Constructs.h"

namespace triton::frontend {
namespace {

using Names = llvm::StringSet<>;

/// Follows the paths through statements and knows the names that every path to the current place assigns. For the
/// statements that follow, a path that has left counts as assigning all names.
class Exposure {
public:
  Names exposed;

  void visit(ast::Statements statements) {
    for (const ast::Statement *statement : statements)
      visit(*statement);
  }

  /// Visits the reads of the expression, then the assignments within it that are certain to happen.
  void read(const ast::Node &node) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
      if (!hasLeft && !assigned.contains(name->id))
        exposed.insert(name->id);
      return;
    }
    if (const auto *walrus = llvm::dyn_cast<ast::NamedExpr>(&node)) {
      read(*walrus->value);
      insert(walrus->target.name);
      return;
    }
    size_t mark = order.size();
    ast::forEachChild(node, [&](const ast::Node &child) { read(child); });
    // Operands of these may be skipped, and the names of a comprehension are local to it.
    if (llvm::isa<ast::BoolOp, ast::IfExp, ast::Compare, ast::ListComp>(node))
      forgetSince(mark);
  }

  void assign(const ast::Expression &target) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
      insert(name->id);
    else if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
      for (const ast::Expression *element : tuple->elements)
        assign(*element);
    else if (const auto *list = llvm::dyn_cast<ast::List>(&target))
      for (const ast::Expression *element : list->elements)
        assign(*element);
    else
      read(target);
  }

private:
  using AssignedNames = llvm::SmallVector<llvm::StringRef>;

  Names assigned;
  AssignedNames order; ///< the same names in the order in which they were inserted
  bool hasLeft = false;

  void insert(llvm::StringRef name) {
    if (assigned.insert(name).second)
      order.push_back(name);
  }

  /// Forgets and returns the names that were inserted after the first `mark`.
  AssignedNames forgetSince(size_t mark) {
    AssignedNames names(llvm::drop_begin(order, mark));
    for (llvm::StringRef name : names)
      assigned.erase(name);
    order.truncate(mark);
    return names;
  }

  void visit(const ast::Statement &statement) {
    if (const auto *assignment = llvm::dyn_cast<ast::Assign>(&statement)) {
      read(*assignment->value);
      for (const ast::Expression *target : assignment->targets)
        assign(*target);
    } else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&statement)) {
      if (annotated->value) {
        read(*annotated->value);
        assign(*annotated->target);
      }
    } else if (const auto *branch = llvm::dyn_cast<ast::If>(&statement)) {
      visitBranch(*branch);
    } else if (const auto *loop = llvm::dyn_cast<ast::For>(&statement)) {
      read(*loop->iterable);
      visitLoop(nullptr, loop->target, loop->body, loop->orElse);
    } else if (const auto *loop = llvm::dyn_cast<ast::While>(&statement)) {
      visitLoop(loop->test, nullptr, loop->body, loop->orElse);
    } else if (const auto *with = llvm::dyn_cast<ast::With>(&statement)) {
      for (const ast::WithItem &item : with->items)
        read(*item.context);
      visit(with->body);
    } else {
      read(statement);
      hasLeft |= llvm::isa<ast::Return, ast::Break, ast::Continue>(statement);
    }
  }

  void visitBranch(const ast::If &branch) {
    read(*branch.test);
    size_t mark = order.size();
    visit(branch.body);
    AssignedNames inBody = forgetSince(mark);
    bool bodyLeft = std::exchange(hasLeft, false);
    visit(branch.orElse);
    if (hasLeft) {
      forgetSince(mark);
      llvm::for_each(inBody, [&](llvm::StringRef name) { insert(name); });
    } else if (!bodyLeft) {
      llvm::erase_if(inBody, [&](llvm::StringRef name) { return !assigned.contains(name); });
      forgetSince(mark);
      llvm::for_each(inBody, [&](llvm::StringRef name) { insert(name); });
    }
    hasLeft &= bodyLeft;
  }

  /// The body may not run at all.
  void visitLoop(const ast::Expression *test, const ast::Expression *target, ast::Statements body,
                 ast::Statements orElse) {
    if (test)
      read(*test);
    size_t mark = order.size();
    if (target)
      assign(*target);
    visit(body);
    forgetSince(mark);
    hasLeft = false;
    visit(orElse);
    forgetSince(mark);
    hasLeft = false;
  }
};

} // namespace

llvm::StringSet<> exposedNames(const ast::Expression *test, const ast::Expression *index, ast::Statements body) {
  Exposure exposure;
  if (test)
    exposure.read(*test);
  if (index)
    exposure.assign(*index);
  exposure.visit(body);
  return std::move(exposure.exposed);
}

} // namespace triton::frontend

// Which names statements may read before they assign them.
#include "frontend/lowering/Constructs.h"

namespace triton::frontend {
namespace {

using Names = llvm::StringSet<>;

/// Follows the paths through statements. `assigned` holds the names that every path to the current place assigns; a
/// path that has left assigns all names, as far as those behind it are concerned.
class Exposure {
public:
  Names exposed;

  void visit(ast::Statements statements) {
    for (const ast::Statement *statement : statements)
      visit(*statement);
  }

  /// Reads of the expression; then the assignments within it that are certain to happen.
  void read(const ast::Node &node) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
      if (!hasLeft && !assigned.contains(name->id))
        exposed.insert(name->id);
      return;
    }
    if (const auto *walrus = llvm::dyn_cast<ast::NamedExpr>(&node)) {
      read(*walrus->value);
      assigned.insert(walrus->target.name);
      return;
    }
    // Operands of these may be skipped, and a comprehension's names are its own.
    bool isPartial = llvm::isa<ast::BoolOp, ast::IfExp, ast::Compare, ast::ListComp>(node);
    Names before = isPartial ? assigned : Names();
    ast::forEachChild(node, [&](const ast::Node &child) { read(child); });
    if (isPartial)
      assigned = std::move(before);
  }

  void assign(const ast::Expression &target) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
      assigned.insert(name->id);
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
  Names assigned;
  bool hasLeft = false;

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
    } else {
      read(statement);
      hasLeft |= llvm::isa<ast::Return, ast::Break, ast::Continue>(statement);
    }
  }

  void visitBranch(const ast::If &branch) {
    read(*branch.test);
    Names before = assigned;
    visit(branch.body);
    Names afterBody = std::exchange(assigned, std::move(before));
    bool bodyLeft = std::exchange(hasLeft, false);
    visit(branch.orElse);
    if (hasLeft)
      assigned = std::move(afterBody);
    else if (!bodyLeft)
      keepCommon(afterBody);
    hasLeft &= bodyLeft;
  }

  /// The body may not run at all.
  void visitLoop(const ast::Expression *test, const ast::Expression *target, ast::Statements body,
                 ast::Statements orElse) {
    if (test)
      read(*test);
    Names before = assigned;
    if (target)
      assign(*target);
    visit(body);
    assigned = before;
    hasLeft = false;
    visit(orElse);
    assigned = std::move(before);
    hasLeft = false;
  }

  void keepCommon(const Names &others) {
    Names common;
    for (const auto &name : assigned)
      if (others.contains(name.getKey()))
        common.insert(name.getKey());
    assigned = std::move(common);
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

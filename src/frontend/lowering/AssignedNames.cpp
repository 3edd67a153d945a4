// Finds the names that statements may assign: loops carry these names, and branches merge them.
#include "frontend/lowering/Constructs.h"

#include "llvm/ADT/SetVector.h"

namespace triton::frontend {

using Names = llvm::SmallSetVector<llvm::StringRef, 8>;

/// The names in an assignment's target. Targets nest no deeper than the tree.
static void collectTarget(const ast::Expression &target, Names &names) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
    names.insert(name->id);
  else if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    for (const ast::Expression *element : tuple->elements)
      collectTarget(*element, names);
  else if (const auto *list = llvm::dyn_cast<ast::List>(&target))
    for (const ast::Expression *element : list->elements)
      collectTarget(*element, names);
  else if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&target)) // a field of the object being made
    collectTarget(*attribute->value, names);
}

/// The names that the node itself assigns, without those that its parts assign.
static void collectAssigned(const ast::Node &node, Names &names) {
  if (const auto *assign = llvm::dyn_cast<ast::Assign>(&node))
    for (const ast::Expression *target : assign->targets)
      collectTarget(*target, names);
  else if (const auto *augmented = llvm::dyn_cast<ast::AugAssign>(&node))
    collectTarget(*augmented->target, names);
  else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&node))
    collectTarget(*annotated->target, names);
  else if (const auto *loop = llvm::dyn_cast<ast::For>(&node))
    collectTarget(*loop->target, names);
  else if (const auto *walrus = llvm::dyn_cast<ast::NamedExpr>(&node))
    names.insert(walrus->target.name);
}

static void collect(const ast::Node &node, Names &names) {
  // The parts of these nodes have their own names.
  if (llvm::isa<ast::FunctionDef, ast::ClassDef, ast::Lambda>(node))
    return;
  collectAssigned(node, names);
  ast::forEachChild(node, [&](const ast::Node &child) { collect(child, names); });
}

llvm::SmallVector<llvm::StringRef> assignedNames(ast::Statements statements) {
  Names names;
  for (const ast::Statement *statement : statements)
    collect(*statement, names);
  return llvm::to_vector(names);
}

llvm::SmallVector<llvm::StringRef> assignedNames(const ast::Expression &expression) {
  Names names;
  collect(expression, names);
  return llvm::to_vector(names);
}

} // namespace triton::frontend

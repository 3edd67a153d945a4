#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

static llvm::StringRef describeExpression(const Expression *expression) {
  switch (expression->kind) {
  case NodeKind::Call:
    return "a function call";
  case NodeKind::Constant: {
    ConstantKind kind = cast<Constant>(expression)->constantKind;
    bool isName = kind == ConstantKind::None || kind == ConstantKind::Boolean;
    return isName ? "a constant" : "a literal";
  }
  case NodeKind::JoinedStr:
    return "an f-string";
  case NodeKind::Compare:
    return "a comparison";
  case NodeKind::Lambda:
    return "a lambda";
  case NodeKind::IfExp:
    return "a conditional expression";
  case NodeKind::NamedExpr:
    return "an assignment expression";
  case NodeKind::Dict:
  case NodeKind::Set:
    return "a dictionary or set";
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp:
    return "a comprehension";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "a `yield` expression";
  case NodeKind::Await:
    return "an `await` expression";
  case NodeKind::Tuple:
    return "a tuple";
  case NodeKind::List:
    return "a list";
  case NodeKind::Starred:
    return "a starred expression";
  default:
    return "an expression";
  }
}

void ParserState::checkTarget(const Expression *target, TargetUse use) {
  DepthGuard guard(*this);
  if (isa<Name, Attribute, Subscript>(target))
    return;
  bool takesSequence = use != TargetUse::Annotate && use != TargetUse::Augment;
  if (auto *starred = dyn_cast<Starred>(target); starred && takesSequence && use != TargetUse::Delete)
    return checkTarget(starred->value, use);
  if (takesSequence && isa<Tuple, List>(target)) {
    Expressions elements = isa<Tuple>(target) ? cast<Tuple>(target)->elements : cast<List>(target)->elements;
    for (const Expression *element : elements)
      checkTarget(element, use);
    return;
  }
  llvm::StringRef what = describeExpression(target);
  switch (use) {
  case TargetUse::Delete:
    fail(diagnostics::CannotDelete, target->range, what);
  case TargetUse::Annotate:
    fail(diagnostics::CannotAnnotate, target->range, what);
  case TargetUse::Augment:
    fail(diagnostics::CannotAugment, target->range, what);
  case TargetUse::Assign:
  case TargetUse::For:
  case TargetUse::With:
    fail(diagnostics::CannotAssign, target->range, what);
  }
}

/// The targets of `for`: one, or several as a tuple. They end before `in`, so a comparison is never part of them.
const Expression *ParserState::parseTargetList() {
  const Expression *target = parseTupleOf(&ParserState::parseStarTarget);
  checkTarget(target, TargetUse::For);
  return target;
}

} // namespace triton::frontend

#include "frontend/AST.h"

namespace triton::frontend::ast {

llvm::StringRef name(NodeKind kind) {
  switch (kind) {
#define TRITON_STATEMENT(name)                                                                                         \
  case NodeKind::name:                                                                                                 \
    return #name;
#define TRITON_EXPRESSION(name) TRITON_STATEMENT(name)
#include "frontend/Nodes.def"
  }
  llvm_unreachable("unknown node kind");
}

llvm::StringRef spelling(BinaryOperator op) {
  switch (op) {
#define TRITON_BINARY_OPERATOR(name, spelling)                                                                         \
  case BinaryOperator::name:                                                                                           \
    return spelling;
#include "frontend/Operators.def"
  }
  llvm_unreachable("unknown operator");
}

llvm::StringRef spelling(UnaryOperator op) {
  switch (op) {
#define TRITON_UNARY_OPERATOR(name, spelling)                                                                          \
  case UnaryOperator::name:                                                                                            \
    return spelling;
#include "frontend/Operators.def"
  }
  llvm_unreachable("unknown operator");
}

llvm::StringRef spelling(CompareOperator op) {
  switch (op) {
#define TRITON_COMPARE_OPERATOR(name, spelling)                                                                        \
  case CompareOperator::name:                                                                                          \
    return spelling;
#include "frontend/Operators.def"
  }
  llvm_unreachable("unknown operator");
}

llvm::StringRef spelling(BoolOperator op) { return op == BoolOperator::And ? "and" : "or"; }

llvm::APSInt Constant::integer() const {
  unsigned width = llvm::APInt::getSufficientBitsNeeded(text, radix) + 1;
  llvm::APInt wide(width, text, radix);
  return llvm::APSInt(wide.trunc(wide.getActiveBits() + 1), /*isUnsigned=*/false);
}

namespace {

using Visit = llvm::function_ref<void(const Node &)>;

/// Calls `visit` for the children of one node: an overload for each kind that has any.
class ChildVisitor {
public:
  explicit ChildVisitor(Visit visit) : visit(visit) {}

  void children(const FunctionDef &node) {
    one(node.decorators);
    one(node.parameters);
    one(node.returns);
    one(node.body);
  }
  void children(const ClassDef &node) {
    one(node.decorators);
    one(node.bases);
    one(node.keywords);
    one(node.body);
  }
  void children(const Return &node) { one(node.value); }
  void children(const Delete &node) { one(node.targets); }
  void children(const Assign &node) {
    one(node.targets);
    one(node.value);
  }
  void children(const AugAssign &node) {
    one(node.target);
    one(node.value);
  }
  void children(const AnnAssign &node) {
    one(node.target);
    one(node.annotation);
    one(node.value);
  }
  void children(const TypeAlias &node) { one(node.value); }
  void children(const For &node) {
    one(node.target);
    one(node.iterable);
    one(node.body);
    one(node.orElse);
  }
  void children(const While &node) {
    one(node.test);
    one(node.body);
    one(node.orElse);
  }
  void children(const If &node) {
    one(node.test);
    one(node.body);
    one(node.orElse);
  }
  void children(const With &node) {
    one(node.items);
    one(node.body);
  }
  void children(const Match &node) {
    one(node.subject);
    one(node.cases);
  }
  void children(const Raise &node) {
    one(node.exception);
    one(node.cause);
  }
  void children(const Try &node) {
    one(node.body);
    one(node.handlers);
    one(node.orElse);
    one(node.finalBody);
  }
  void children(const Assert &node) {
    one(node.test);
    one(node.message);
  }
  void children(const Import &) {}
  void children(const ImportFrom &) {}
  void children(const Global &) {}
  void children(const Nonlocal &) {}
  void children(const ExpressionStatement &node) { one(node.value); }
  void children(const Pass &) {}
  void children(const Break &) {}
  void children(const Continue &) {}

  void children(const BoolOp &node) { one(node.values); }
  void children(const NamedExpr &node) { one(node.value); }
  void children(const BinOp &node) {
    one(node.left);
    one(node.right);
  }
  void children(const UnaryOp &node) { one(node.operand); }
  void children(const Lambda &node) {
    one(node.parameters);
    one(node.body);
  }
  void children(const IfExp &node) {
    one(node.body);
    one(node.test);
    one(node.orElse);
  }
  void children(const Dict &node) {
    for (const DictItem &item : node.items) {
      one(item.key);
      one(item.value);
    }
  }
  void children(const Set &node) { one(node.elements); }
  void children(const ListComp &node) { comprehension(node); }
  void children(const SetComp &node) { comprehension(node); }
  void children(const DictComp &node) {
    one(node.key);
    one(node.value);
    one(node.generators);
  }
  void children(const GeneratorExp &node) { comprehension(node); }
  void children(const Await &node) { one(node.value); }
  void children(const Yield &node) { one(node.value); }
  void children(const YieldFrom &node) { one(node.value); }
  void children(const Compare &node) {
    one(node.left);
    one(node.comparators);
  }
  void children(const Call &node) {
    one(node.function);
    one(node.arguments);
    one(node.keywords);
  }
  void children(const JoinedStr &node) { one(node.values); }
  void children(const FormattedValue &node) {
    one(node.value);
    one(node.formatSpec);
  }
  void children(const Constant &) {}
  void children(const Attribute &node) { one(node.value); }
  void children(const Subscript &node) {
    one(node.value);
    one(node.index);
  }
  void children(const Starred &node) { one(node.value); }
  void children(const Name &) {}
  void children(const List &node) { one(node.elements); }
  void children(const Tuple &node) { one(node.elements); }
  void children(const Slice &node) {
    one(node.lower);
    one(node.upper);
    one(node.step);
  }
  void children(const PatternAs &node) { one(node.pattern); }

private:
  void one(const Node *node) {
    if (node)
      visit(*node);
  }
  void one(const Parameter &parameter) {
    one(parameter.annotation);
    one(parameter.defaultValue);
  }
  void one(const Keyword &keyword) { one(keyword.value); }
  void one(const WithItem &item) {
    one(item.context);
    one(item.target);
  }
  void one(const ExceptHandler &handler) {
    one(handler.type);
    one(handler.body);
  }
  void one(const MatchCase &matchCase) {
    one(matchCase.pattern);
    one(matchCase.guard);
    one(matchCase.body);
  }
  void one(const Comprehension &part) {
    one(part.target);
    one(part.iterable);
    one(part.conditions);
  }
  template <typename T> void one(llvm::ArrayRef<T> parts) {
    for (const T &part : parts)
      one(part);
  }
  template <typename T> void comprehension(const T &node) {
    one(node.element);
    one(node.generators);
  }

  Visit visit;
};

} // namespace

void forEachChild(const Node &node, Visit visit) {
  ChildVisitor visitor(visit);
  switch (node.kind) {
#define TRITON_STATEMENT(name)                                                                                         \
  case NodeKind::name:                                                                                                 \
    return visitor.children(static_cast<const name &>(node));
#define TRITON_EXPRESSION(name) TRITON_STATEMENT(name)
#include "frontend/Nodes.def"
  }
}

} // namespace triton::frontend::ast

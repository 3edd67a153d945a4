#include "frontend/Dump.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace triton::frontend {

using namespace ast;
using llvm::cast;

namespace {

class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &stream) : stream(stream) {}

  void dump(Statements body) {
    for (const Statement *statement : body)
      dump(*statement);
  }

private:
  void dump(const Statement &node) {
    stream.indent(indentation);
    switch (node.kind) {
#define TRITON_STATEMENT(name)                                                                                         \
  case NodeKind::name:                                                                                                 \
    return statement(cast<name>(node));
#define TRITON_EXPRESSION(name) case NodeKind::name:
#include "frontend/Nodes.def"
      llvm_unreachable("not a statement");
    }
  }

  Dumper &operator<<(llvm::StringRef text) {
    stream << text;
    return *this;
  }
  Dumper &operator<<(const Expression *node) {
    expression(*node);
    return *this;
  }
  template <typename T> Dumper &list(llvm::ArrayRef<T> elements, llvm::StringRef separator = ", ") {
    llvm::interleave(elements, [&](const T &element) { part(element); }, [&] { stream << separator; });
    return *this;
  }
  /// Text before an optional expression, and the expression.
  Dumper &optional(llvm::StringRef text, const Expression *node) {
    if (node)
      *this << text << node;
    return *this;
  }

  void block(Statements body) {
    stream << '\n';
    indentation += 2;
    dump(body);
    indentation -= 2;
  }
  void labelled(llvm::StringRef text, Statements body) {
    if (body.empty())
      return;
    stream.indent(indentation) << text;
    block(body);
  }

  // ---- Statements ----
  void decorators(Expressions list, bool isAsync) {
    for (const Expression *decorator : list) {
      *this << "@" << decorator << "\n";
      stream.indent(indentation);
    }
    if (isAsync)
      stream << "async ";
  }
  void statement(const FunctionDef &node) {
    decorators(node.decorators, node.isAsync);
    *this << "def " << node.name.name << "(";
    parameters(node.parameters);
    (*this << ")").optional(" -> ", node.returns) << ":";
    block(node.body);
  }
  void statement(const ClassDef &node) {
    decorators(node.decorators, false);
    *this << "class " << node.name.name << "(";
    arguments(node.bases, node.keywords);
    *this << "):";
    block(node.body);
  }
  void statement(const Return &node) { (*this << "return").optional(" ", node.value) << "\n"; }
  void statement(const Delete &node) { (*this << "del ").list(node.targets) << "\n"; }
  void statement(const Assign &node) { list(node.targets, " = ") << " = " << node.value << "\n"; }
  void statement(const AugAssign &node) {
    *this << node.target << " " << spelling(node.op) << "= " << node.value << "\n";
  }
  void statement(const AnnAssign &node) {
    (*this << node.target << ": " << node.annotation).optional(" = ", node.value) << "\n";
  }
  void statement(const TypeAlias &node) { *this << "type " << node.name.name << " = " << node.value << "\n"; }
  void statement(const For &node) {
    *this << (node.isAsync ? "async " : "") << "for " << node.target << " in " << node.iterable << ":";
    block(node.body);
    labelled("else:", node.orElse);
  }
  void statement(const While &node) {
    *this << "while " << node.test << ":";
    block(node.body);
    labelled("else:", node.orElse);
  }
  void statement(const If &node) {
    *this << "if " << node.test << ":";
    block(node.body);
    labelled("else:", node.orElse);
  }
  void statement(const With &node) {
    (*this << (node.isAsync ? "async " : "") << "with ").list(node.items) << ":";
    block(node.body);
  }
  void statement(const Match &node) {
    *this << "match " << node.subject << ":\n";
    for (const MatchCase &matchCase : node.cases) {
      stream.indent(indentation + 2);
      (*this << "case " << matchCase.pattern).optional(" if ", matchCase.guard) << ":";
      indentation += 2;
      block(matchCase.body);
      indentation -= 2;
    }
  }
  void statement(const Raise &node) {
    (*this << "raise").optional(" ", node.exception).optional(" from ", node.cause) << "\n";
  }
  void statement(const Try &node) {
    *this << "try:";
    block(node.body);
    for (const ExceptHandler &handler : node.handlers) {
      stream.indent(indentation);
      (*this << (node.isStar ? "except*" : "except")).optional(" ", handler.type);
      if (!handler.name.name.empty())
        *this << " as " << handler.name.name;
      *this << ":";
      block(handler.body);
    }
    labelled("else:", node.orElse);
    labelled("finally:", node.finalBody);
  }
  void statement(const Assert &node) { (*this << "assert " << node.test).optional(", ", node.message) << "\n"; }
  void statement(const Import &node) { (*this << "import ").list(node.names) << "\n"; }
  void statement(const ImportFrom &node) {
    *this << "from " << std::string(node.level, '.') << node.module.name << " import ";
    list(node.names) << "\n";
  }
  void statement(const Global &node) { (*this << "global ").list(node.names) << "\n"; }
  void statement(const Nonlocal &node) { (*this << "nonlocal ").list(node.names) << "\n"; }
  void statement(const ExpressionStatement &node) { *this << node.value << "\n"; }
  void statement(const Pass &) { *this << "pass\n"; }
  void statement(const Break &) { *this << "break\n"; }
  void statement(const Continue &) { *this << "continue\n"; }

  // ---- Parts ----
  void part(const Expression *node) { expression(*node); }
  void part(const Identifier &identifier) { *this << identifier.name; }
  void part(const WithItem &item) { (*this << item.context).optional(" as ", item.target); }
  void part(const ImportAlias &alias) {
    *this << alias.name.name;
    if (!alias.asName.name.empty())
      *this << " as " << alias.asName.name;
  }
  void part(const DictItem &item) {
    if (item.key)
      *this << item.key << ": " << item.value;
    else
      *this << "**" << item.value;
  }
  void part(const Comprehension &generator) {
    *this << (generator.isAsync ? "async " : "") << "for " << generator.target << " in " << generator.iterable;
    for (const Expression *condition : generator.conditions)
      *this << " if " << condition;
  }
  void arguments(Expressions positional, llvm::ArrayRef<Keyword> keywords) {
    list(positional);
    if (!positional.empty() && !keywords.empty())
      *this << ", ";
    list(keywords);
  }
  void part(const Keyword &keyword) {
    if (keyword.name.name.empty())
      *this << "**" << keyword.value;
    else
      *this << keyword.name.name << "=" << keyword.value;
  }
  void parameters(llvm::ArrayRef<Parameter> list) {
    bool hasStar = false;
    llvm::StringRef separator;
    for (size_t i = 0; i < list.size(); ++i) {
      const Parameter &parameter = list[i];
      *this << std::exchange(separator, ", ");
      bool isKeywordOnly = parameter.kind == ParameterKind::KeywordOnly;
      if (isKeywordOnly && !std::exchange(hasStar, true))
        *this << "*, ";
      hasStar |= parameter.kind == ParameterKind::VarPositional;
      *this << (parameter.kind == ParameterKind::VarPositional ? "*"
                : parameter.kind == ParameterKind::VarKeyword  ? "**"
                                                               : "")
            << parameter.name.name;
      optional(": ", parameter.annotation).optional(" = ", parameter.defaultValue);
      bool isLastPositionalOnly = parameter.kind == ParameterKind::PositionalOnly &&
                                  (i + 1 == list.size() || list[i + 1].kind != ParameterKind::PositionalOnly);
      if (isLastPositionalOnly)
        *this << ", /";
    }
  }

  // ---- Expressions ----
  void expression(const Expression &node) {
    switch (node.kind) {
#define TRITON_STATEMENT(name) case NodeKind::name:
#define TRITON_EXPRESSION(name)
#include "frontend/Nodes.def"
      llvm_unreachable("not an expression");
#define TRITON_EXPRESSION(name)                                                                                        \
  case NodeKind::name:                                                                                                 \
    return expression(cast<name>(node));
#include "frontend/Nodes.def"
    }
  }
  void expression(const BoolOp &node) {
    (*this << "(").list(node.values, (" " + spelling(node.op) + " ").str()) << ")";
  }
  void expression(const NamedExpr &node) { *this << "(" << node.target.name << " := " << node.value << ")"; }
  void expression(const BinOp &node) {
    *this << "(" << node.left << " " << spelling(node.op) << " " << node.right << ")";
  }
  void expression(const UnaryOp &node) { *this << "(" << spelling(node.op) << " " << node.operand << ")"; }
  void expression(const Lambda &node) {
    *this << "(lambda ";
    parameters(node.parameters);
    *this << ": " << node.body << ")";
  }
  void expression(const IfExp &node) {
    *this << "(" << node.body << " if " << node.test << " else " << node.orElse << ")";
  }
  void expression(const Dict &node) { (*this << "{").list(node.items) << "}"; }
  void expression(const Set &node) { (*this << "{").list(node.elements) << "}"; }
  void expression(const ListComp &node) { (*this << "[" << node.element << " ").list(node.generators, " ") << "]"; }
  void expression(const SetComp &node) { (*this << "{" << node.element << " ").list(node.generators, " ") << "}"; }
  void expression(const DictComp &node) {
    (*this << "{" << node.key << ": " << node.value << " ").list(node.generators, " ") << "}";
  }
  void expression(const GeneratorExp &node) { (*this << "(" << node.element << " ").list(node.generators, " ") << ")"; }
  void expression(const Await &node) { *this << "(await " << node.value << ")"; }
  void expression(const Yield &node) { (*this << "(yield").optional(" ", node.value) << ")"; }
  void expression(const YieldFrom &node) { *this << "(yield from " << node.value << ")"; }
  void expression(const Compare &node) {
    *this << "(" << node.left;
    for (auto [op, comparator] : llvm::zip_equal(node.operators, node.comparators))
      *this << " " << spelling(op) << " " << comparator;
    *this << ")";
  }
  void expression(const Call &node) {
    *this << node.function << "(";
    arguments(node.arguments, node.keywords);
    *this << ")";
  }
  void expression(const JoinedStr &node) { (*this << "f<").list(node.values) << ">"; }
  void expression(const FormattedValue &node) {
    *this << "{" << node.value;
    if (node.conversion)
      *this << "!" << llvm::StringRef(&node.conversion, 1);
    if (node.formatSpec)
      *this << ":" << node.formatSpec;
    *this << "}";
  }
  void expression(const Constant &node) {
    switch (node.constantKind) {
    case ConstantKind::None:
      stream << "None";
      return;
    case ConstantKind::Boolean:
      stream << (node.boolean ? "True" : "False");
      return;
    case ConstantKind::Integer:
      integer(node.integer());
      return;
    case ConstantKind::Imaginary:
    case ConstantKind::Float:
      stream << llvm::format("%.17g", node.number) << (node.constantKind == ConstantKind::Float ? "f" : "j");
      return;
    case ConstantKind::Bytes:
      stream << 'b';
      [[fallthrough]];
    case ConstantKind::String:
      stream << '"';
      llvm::printEscapedString(node.text, stream);
      stream << '"';
      return;
    case ConstantKind::Ellipsis:
      stream << "...";
      return;
    }
  }
  /// Large numbers are written in hexadecimal, which does not take quadratic time.
  void integer(const llvm::APSInt &value) {
    if (value.getActiveBits() <= 64)
      stream << value.getZExtValue();
    else
      stream << "0x" << llvm::toString(value, 16);
  }
  void expression(const Attribute &node) { *this << node.value << "." << node.attribute.name; }
  void expression(const Subscript &node) { *this << node.value << "[" << node.index << "]"; }
  void expression(const Starred &node) { *this << "*" << node.value; }
  void expression(const Name &node) { *this << node.id; }
  void expression(const List &node) { (*this << "[").list(node.elements) << "]"; }
  void expression(const Tuple &node) { (*this << "(").list(node.elements) << (node.elements.size() == 1 ? ",)" : ")"); }
  void expression(const Slice &node) {
    optional("", node.lower) << ":";
    optional("", node.upper).optional(":", node.step);
  }
  void expression(const PatternAs &node) { *this << "(" << node.pattern << " as " << node.name.name << ")"; }

  llvm::raw_ostream &stream;
  unsigned indentation = 0;
};

} // namespace

void dumpTree(const Module &module, llvm::raw_ostream &stream) { Dumper(stream).dump(module.body); }

void dumpRanges(const Module &module, llvm::raw_ostream &stream) {
  llvm::SmallVector<const Node *> work(llvm::reverse(module.body));
  while (!work.empty()) {
    const Node *node = work.pop_back_val();
    stream << name(node->kind) << ' ' << node->range.begin << ' ' << node->range.end << '\n';
    size_t mark = work.size();
    forEachChild(*node, [&](const Node &child) { work.push_back(&child); });
    std::reverse(work.begin() + mark, work.end());
  }
}

} // namespace triton::frontend

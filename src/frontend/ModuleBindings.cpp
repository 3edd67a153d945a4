// Which statements of a file bind its module-level names. Nothing is evaluated here.
#include "frontend/ModuleFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace triton::frontend {

using llvm::cast;
using llvm::dyn_cast;

std::optional<bool> moduleConditionValue(const ast::Expression &condition) {
  if (auto *constant = dyn_cast<ast::Constant>(&condition)) {
    if (constant->constantKind == ast::ConstantKind::Boolean)
      return constant->boolean;
    if (constant->constantKind == ast::ConstantKind::Integer)
      return !constant->integer().isZero();
    return std::nullopt;
  }
  if (auto *unary = dyn_cast<ast::UnaryOp>(&condition); unary && unary->op == ast::UnaryOperator::Not) {
    std::optional<bool> operand = moduleConditionValue(*unary->operand);
    return operand ? std::optional<bool>(!*operand) : std::nullopt;
  }
  auto *name = dyn_cast<ast::Name>(&condition);
  auto *attribute = dyn_cast<ast::Attribute>(&condition);
  if ((name && name->id == "TYPE_CHECKING") || (attribute && attribute->attribute.name == "TYPE_CHECKING"))
    return false;
  if (auto *compare = dyn_cast<ast::Compare>(&condition)) {
    auto *left = dyn_cast<ast::Name>(compare->left);
    if (left && left->id == "__name__" && compare->operators.size() == 1)
      return compare->operators[0] == ast::CompareOperator::NotEq;
  }
  return std::nullopt;
}

namespace {

class Collector {
public:
  explicit Collector(ModuleBindings &result) : result(result) {}

  void collect(ast::Statements body) {
    for (const ast::Statement *statement : body)
      collect(*statement);
  }

private:
  void bind(llvm::StringRef name, ModuleBinding binding) {
    bound.push_back(name);
    if (isDiscarding)
      return;
    binding.order = nextOrder++;
    result.names[name].push_back(binding);
  }
  void bindComputed(llvm::StringRef name, const ast::Node &node) {
    bind(name, {ModuleBinding::Kind::Computed, &node, nullptr, "", 0});
  }

  void bindTarget(const ast::Expression &target, const ast::Node &statement, const ast::Expression *value) {
    if (auto *name = dyn_cast<ast::Name>(&target)) {
      if (value)
        bind(name->id, {ModuleBinding::Kind::Assign, &statement, value, "", 0});
      else
        bindComputed(name->id, statement);
      return;
    }
    auto *starred = dyn_cast<ast::Starred>(&target);
    if (starred)
      return bindTarget(*starred->value, statement, nullptr);
    ast::Expressions elements = elementsOf(&target);
    ast::Expressions values = value ? elementsOf(value) : ast::Expressions();
    bool isElementwise = values.size() == elements.size() && !llvm::any_of(values, llvm::IsaPred<ast::Starred>) &&
                         !llvm::any_of(elements, llvm::IsaPred<ast::Starred>);
    for (size_t i = 0; i < elements.size(); ++i)
      bindTarget(*elements[i], statement, isElementwise ? values[i] : nullptr);
  }
  static ast::Expressions elementsOf(const ast::Expression *node) {
    if (auto *tuple = dyn_cast<ast::Tuple>(node))
      return tuple->elements;
    if (auto *list = dyn_cast<ast::List>(node))
      return list->elements;
    return {};
  }

  /// The names that the statements bind.
  llvm::StringSet<> collectNames(ast::Statements body, bool isDiscarded) {
    llvm::SaveAndRestore discard(isDiscarding, isDiscarding || isDiscarded);
    size_t mark = bound.size();
    collect(body);
    llvm::StringSet<> names;
    for (llvm::StringRef name : llvm::ArrayRef(bound).drop_front(mark))
      names.insert(name);
    return names;
  }

  /// Only Python can choose between these branches. A name that both of them bind has no known value here.
  void collectAlternatives(ast::Statements first, ast::Statements second, const ast::Node &node) {
    llvm::StringSet<> inFirst = collectNames(first, /*isDiscarded=*/false);
    llvm::StringSet<> inSecond = collectNames(second, /*isDiscarded=*/false);
    for (const auto &entry : inSecond)
      if (inFirst.contains(entry.getKey()))
        bindComputed(entry.getKey(), node);
  }

  /// The handlers replace what the file does when something that it tries is missing. A name that only they bind
  /// counts.
  void collectTry(const ast::Try &attempt) {
    llvm::StringSet<> tried = collectNames(attempt.body, /*isDiscarded=*/false);
    for (const ast::ExceptHandler &handler : attempt.handlers)
      for (const auto &entry : collectNames(handler.body, /*isDiscarded=*/true))
        if (!tried.contains(entry.getKey()))
          bindComputed(entry.getKey(), attempt);
    collect(attempt.orElse);
    collect(attempt.finalBody);
  }

  void collectImport(const ast::Import &statement) {
    for (const ast::ImportAlias &alias : statement.names) {
      // `import a.b` binds `a`; `import a.b as c` binds the module a.b.
      llvm::StringRef module = alias.name.name;
      bool hasAlias = !alias.asName.name.empty();
      llvm::StringRef root = module.take_until([](char c) { return c == '.'; });
      bind(hasAlias ? alias.asName.name : root,
           {ModuleBinding::Kind::Import, &statement, nullptr, hasAlias ? module : root, 0});
    }
  }

  void collectImportFrom(const ast::ImportFrom &statement) {
    for (const ast::ImportAlias &alias : statement.names) {
      if (alias.name.name != "*") {
        llvm::StringRef name = alias.asName.name.empty() ? alias.name.name : alias.asName.name;
        bind(name, {ModuleBinding::Kind::ImportFrom, &statement, nullptr, alias.name.name, 0});
      } else if (!isDiscarding) {
        result.starImports.push_back(&statement);
      }
    }
  }

  void collect(const ast::Statement &statement);

  ModuleBindings &result;
  unsigned nextOrder = 0;
  /// Every name bound so far, those of discarded statements included.
  std::vector<llvm::StringRef> bound;
  bool isDiscarding = false;
};

void Collector::collect(const ast::Statement &statement) {
  switch (statement.kind) {
  case ast::NodeKind::Import:
    return collectImport(cast<ast::Import>(statement));
  case ast::NodeKind::ImportFrom:
    return collectImportFrom(cast<ast::ImportFrom>(statement));
  case ast::NodeKind::FunctionDef:
    return bind(cast<ast::FunctionDef>(statement).name.name,
                {ModuleBinding::Kind::Function, &statement, nullptr, "", 0});
  case ast::NodeKind::ClassDef:
    return bind(cast<ast::ClassDef>(statement).name.name, {ModuleBinding::Kind::Class, &statement, nullptr, "", 0});
  case ast::NodeKind::Assign:
    for (const ast::Expression *target : cast<ast::Assign>(statement).targets)
      bindTarget(*target, statement, cast<ast::Assign>(statement).value);
    return;
  case ast::NodeKind::AnnAssign:
    if (const ast::Expression *value = cast<ast::AnnAssign>(statement).value)
      bindTarget(*cast<ast::AnnAssign>(statement).target, statement, value);
    return;
  case ast::NodeKind::AugAssign:
    return bindTarget(*cast<ast::AugAssign>(statement).target, statement, nullptr);
  case ast::NodeKind::If: {
    const auto &branch = cast<ast::If>(statement);
    std::optional<bool> condition = moduleConditionValue(*branch.test);
    if (!condition)
      return collectAlternatives(branch.body, branch.orElse, statement);
    return collect(*condition ? branch.body : branch.orElse);
  }
  case ast::NodeKind::Try:
    return collectTry(cast<ast::Try>(statement));
  case ast::NodeKind::With:
    for (const ast::WithItem &item : cast<ast::With>(statement).items)
      if (item.target)
        bindTarget(*item.target, statement, nullptr);
    return collect(cast<ast::With>(statement).body);
  case ast::NodeKind::For: {
    const auto &loop = cast<ast::For>(statement);
    bindTarget(*loop.target, statement, nullptr);
    for (const auto &entry : collectNames(loop.body, /*isDiscarded=*/true))
      bindComputed(entry.getKey(), statement);
    return;
  }
  default:
    return;
  }
}

} // namespace

ModuleBindings collectBindings(const ast::Module &module) {
  ModuleBindings bindings;
  Collector(bindings).collect(module.body);
  return bindings;
}

} // namespace triton::frontend

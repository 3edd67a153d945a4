#include "Configurations.h"

#include "api/KernelState.h"
#include "frontend/AST.h"
#include "frontend/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tritonc;
using llvm::dyn_cast;
using llvm::StringRef;
using llvm::json::Object;
namespace ast = triton::frontend::ast;

static bool isNamed(const ast::Expression &function, StringRef name) {
  if (auto *attribute = dyn_cast<ast::Attribute>(&function))
    return attribute->attribute.name == name;
  auto *plain = dyn_cast<ast::Name>(&function);
  return plain && plain->id == name;
}

namespace {

/// Reads the decorators of one kernel.
class ConfigurationReader {
public:
  explicit ConfigurationReader(const triton::frontend::Function &function) : function(function) {}

  llvm::json::Array read() const {
    llvm::json::Array found;
    for (const ast::Expression *decorator : function.definition->decorators) {
      auto *call = dyn_cast<ast::Call>(decorator);
      if (!call || !isNamed(*call->function, "autotune"))
        continue;
      const ast::Expression *list = call->arguments.empty() ? keyword(*call, "configs") : call->arguments.front();
      auto *items = list ? dyn_cast<ast::List>(listBehind(*list)) : nullptr;
      for (const ast::Expression *item : items ? items->elements : ast::Expressions())
        if (auto *config = dyn_cast<ast::Call>(item); config && isNamed(*config->function, "Config"))
          addConfiguration(*config, found);
    }
    return found;
  }

private:
  static const ast::Expression *keyword(const ast::Call &call, StringRef name) {
    for (const ast::Keyword &keyword : call.keywords)
      if (keyword.name.name == name)
        return keyword.value;
    return nullptr;
  }

  /// What the last assignment of the file gives a name; other expressions as they are.
  const ast::Expression *listBehind(const ast::Expression &expression) const {
    auto *name = dyn_cast<ast::Name>(&expression);
    const ast::Expression *found = &expression;
    for (const ast::Statement *statement : triton::frontend::moduleOf(*function.source).body)
      if (auto *assign = dyn_cast<ast::Assign>(statement); assign && name)
        for (const ast::Expression *target : assign->targets)
          if (isNamed(*target, name->id))
            found = assign->value;
    return found;
  }

  std::string textOf(const ast::Node &node) const { return function.source->text(node.range).str(); }

  using Values = std::vector<std::pair<std::string, std::string>>;

  /// The constants that the configuration gives to parameters, or none if Python computes one.
  std::optional<Values> valuesOf(const ast::Call &config) const {
    const ast::Expression *given = config.arguments.empty() ? keyword(config, "kwargs") : config.arguments.front();
    auto *dict = given ? dyn_cast<ast::Dict>(given) : nullptr;
    if (!dict)
      return std::nullopt;
    Values values;
    for (const ast::DictItem &item : dict->items) {
      auto *key = item.key ? dyn_cast<ast::Constant>(item.key) : nullptr;
      if (!key || key->constantKind != ast::ConstantKind::String || !llvm::isa<ast::Constant>(item.value))
        return std::nullopt;
      values.emplace_back(key->text.str(), textOf(*item.value));
    }
    return values;
  }

  void addConfiguration(const ast::Call &config, llvm::json::Array &found) const {
    std::optional<Values> values = valuesOf(config);
    if (!values)
      return;
    std::string text;
    Object members;
    for (const auto &[name, value] : *values) {
      if (!text.empty())
        text += ", ";
      text.append(name).append(" = ").append(value);
      members[name] = value;
    }
    Object described{{"values", std::move(members)}};
    for (const char *option : {"num_warps", "num_stages"}) {
      const ast::Expression *value = keyword(config, option);
      int64_t number = 0;
      if (!value || StringRef(textOf(*value)).getAsInteger(10, number))
        continue;
      described[option] = number;
      text += (text.empty() ? "" : ", ") + std::string(option) + " = " + std::to_string(number);
    }
    described["text"] = std::move(text);
    found.push_back(std::move(described));
  }

  const triton::frontend::Function &function;
};

} // namespace

llvm::json::Array tritonc::configurationsOf(const triton::Kernel &kernel) {
  return ConfigurationReader(*triton::KernelInternals::stateOf(kernel).function).read();
}

// Classes decorated with `triton.aggregate`, read from the text of a module.
#include "frontend/ModuleFile.h"

namespace triton::frontend {

using llvm::dyn_cast;

/// The object that `value` denotes in any lookup; `value` contains no function of this load.
static ObjectRef evaluateIn(ModuleFile &file, const ast::Expression *expression, unsigned order) {
  return expression ? evaluateModuleExpression(file, *expression, order).object : nullptr;
}

static AggregateClass::Field *findField(AggregateClass &type, llvm::StringRef name) {
  auto found = llvm::find_if(type.fields, [&](const AggregateClass::Field &field) { return field.name == name; });
  return found == type.fields.end() ? nullptr : &*found;
}

/// Adds the annotated names. Those of the base classes come first.
void ModuleFile::addFields(AggregateClass &type, const ast::ClassDef &definition, unsigned order) {
  std::vector<std::function<ObjectRef()>> types;
  for (const AggregateClass *base : type.bases)
    for (auto [index, field] : llvm::enumerate(base->fields))
      if (!findField(type, field.name)) {
        type.fields.push_back(field);
        types.push_back([base, index] { return base->fieldType(index); });
      }
  for (const ast::Statement *statement : definition.body) {
    const auto *annotated = dyn_cast<ast::AnnAssign>(statement);
    const auto *name = annotated ? dyn_cast<ast::Name>(annotated->target) : nullptr;
    if (!name)
      continue;
    ObjectRef defaultValue = evaluateIn(*this, annotated->value, order);
    if (AggregateClass::Field *inherited = findField(type, name->id)) {
      inherited->defaultValue = defaultValue;
      continue;
    }
    type.fields.push_back({name->id.str(), defaultValue});
    // Evaluated on demand, because two classes of one load would otherwise own each other.
    types.push_back([this, annotated, order] { return evaluateIn(*this, annotated->annotation, order); });
  }
  type.fieldType = [types = std::move(types)](size_t field) { return types[field](); };
}

void ModuleFile::addMembers(AggregateClass &type, const ast::ClassDef &definition, unsigned order) {
  std::map<std::string, std::function<ObjectRef()>, std::less<>> members;
  for (const AggregateClass *base : type.bases)
    for (const std::string &name : base->memberNames)
      if (members.try_emplace(name, [base, name] { return base->member(name); }).second &&
          llvm::is_contained(base->staticMembers, name))
        type.staticMembers.push_back(name);
  type.initializesAsPython =
      llvm::any_of(type.bases, [](const AggregateClass *base) { return base->initializesAsPython; });
  for (const ast::Statement *statement : definition.body) {
    const auto *method = dyn_cast<ast::FunctionDef>(statement);
    if (!method)
      continue;
    std::string name = method->name.name.str();
    JitUse use = decoratorUse(*method, order);
    bool isStatic = llvm::any_of(method->decorators, [&](const ast::Expression *decorator) {
      return evaluateModuleExpression(*this, *decorator, order).qualifiedName == "builtins.staticmethod";
    });
    bool isInitializer = name == "__init__";
    if (isInitializer)
      type.initializesAsPython = !use.isJit;
    llvm::erase(type.staticMembers, name);
    if (isStatic)
      type.staticMembers.push_back(name);
    if (use.isJit || isInitializer)
      members[name] = [this, method, use] { return kernelObject(*method, use); };
    else
      members[name] = [use] {
        return makeObject(Unsupported{use.isHostFunction ? "a constexpr_function, which only Python can run"
                                                         : "a method without `@triton.jit`",
                                      /*isUnknown=*/use.isHostFunction});
      };
  }
  for (const auto &[name, member] : members)
    type.memberNames.push_back(name);
  type.member = [members = std::move(members)](std::string_view name) -> ObjectRef {
    auto found = members.find(name);
    return found == members.end() ? nullptr : found->second();
  };
}

ModuleValue ModuleFile::resolveAggregate(const ast::ClassDef &definition, unsigned order) {
  std::unique_ptr<AggregateClass> &type = aggregates[&definition];
  if (!type) {
    auto made = std::make_unique<AggregateClass>();
    made->name = definition.name.name.str();
    for (const ast::Expression *base : definition.bases) {
      ObjectRef object = evaluateIn(*this, base, order);
      const auto *other = object ? object->get<std::shared_ptr<const AggregateClass>>() : nullptr;
      if (!other)
        return ModuleValue::unknown("an aggregate that derives from another class");
      made->bases.push_back(other->get());
      made->bases.insert(made->bases.end(), (*other)->bases.begin(), (*other)->bases.end());
    }
    addFields(*made, definition, order);
    addMembers(*made, definition, order);
    type = std::move(made);
  }
  return ModuleValue::of(makeObject(std::shared_ptr<const AggregateClass>(graph.share(type.get()))));
}

} // namespace triton::frontend

#include "language_server/Cursor.h"
#include "language_server/Resolve.h"

#include "llvm/ADT/StringSet.h"

namespace triton::language_server {

namespace {

lsp::CompletionItemKind itemKind(Member::Kind kind) {
  switch (kind) {
  case Member::Kind::Function:
    return lsp::CompletionItemKind::Function;
  case Member::Kind::Module:
    return lsp::CompletionItemKind::Module;
  case Member::Kind::Dtype:
    return lsp::CompletionItemKind::Class;
  case Member::Kind::Constant:
    return lsp::CompletionItemKind::Constant;
  case Member::Kind::Property:
    return lsp::CompletionItemKind::Property;
  }
  llvm_unreachable("unknown kind of member");
}

class Completer {
public:
  Completer(const View &view, uint32_t offset)
      : view(view), offset(offset), cursor(cursorAt(view.document->text, offset)) {}

  lsp::CompletionList run() {
    if (!cursor.isInText) {
      if (cursor.isMember) {
        addMembers();
      } else {
        addKeywords();
        addNames();
      }
    }
    return std::move(list);
  }

private:
  /// The items are sorted by `group`, then by name.
  lsp::CompletionItem *add(const std::string &name, lsp::CompletionItemKind kind, llvm::StringRef group) {
    if (!llvm::StringRef(name).starts_with(cursor.prefix) || !seen.insert(name).second)
      return nullptr;
    list.items.emplace_back(name, kind, (group + name).str());
    return &list.items.back();
  }

  static void describe(lsp::CompletionItem *item, const std::optional<Callable> &callable) {
    if (!item || !callable)
      return;
    item->detail = callable->signature();
    item->documentation = lsp::MarkupContent{lsp::MarkupKind::Markdown, callable->documentation};
  }

  void addMembers() {
    if (cursor.owner.empty())
      return addMethods(ValueKind::Tensor, {}); // of a call or another expression, which mostly is a tensor
    std::optional<Resolved> owner = resolve(view, cursor.owner, cursor.prefixBegin);
    if (!owner)
      return;
    if (owner->isLocal)
      return owner->facts.empty() ? addMethods(ValueKind::Tensor, {})
                                  : addMethods(owner->facts.front().kind, owner->facts.front().fields);
    addObjectMembers(*owner->object);
  }

  void addMethods(ValueKind kind, const std::vector<std::string> &fields) {
    for (const std::string &field : fields)
      add(field, lsp::CompletionItemKind::Field, "0");
    for (const Member &member : membersOfValue(kind))
      describe(add(member.name,
                   member.kind == Member::Kind::Function ? lsp::CompletionItemKind::Method : itemKind(member.kind),
                   "1"),
               methodOf(kind, member.name));
  }

  void addObjectMembers(const frontend::Object &object) {
    if (auto *tuple = object.get<frontend::Tuple>())
      for (const std::string &field : tuple->fieldNames)
        add(field, lsp::CompletionItemKind::Field, "0");
    if (auto *type = object.get<std::shared_ptr<const frontend::AggregateClass>>())
      for (const std::string &member : (*type)->memberNames)
        add(member, lsp::CompletionItemKind::Field, "0");
    if (object.is<ElementType>())
      addMethods(ValueKind::Dtype, {});
    auto *module = object.get<std::shared_ptr<const frontend::Module>>();
    if (!module)
      return;
    for (const Member &member : membersOfModule((*module)->name)) {
      frontend::ObjectRef found = (*module)->attribute(member.name);
      describe(add(member.name, itemKind(member.kind), "0"), found ? callableOf(*found) : std::nullopt);
    }
  }

  /// The keywords of the call around the place that were not given yet.
  void addKeywords() {
    if (!cursor.call || !cursor.call->keyword.empty())
      return;
    std::optional<Resolved> callee = resolve(view, cursor.call->callee, cursor.call->calleeBegin);
    if (!callee || !callee->callable)
      return;
    const auto &parameters = callee->callable->parameters;
    size_t positional = cursor.call->position - std::min<size_t>(cursor.call->position, cursor.call->keywords.size());
    for (size_t index = positional; index < parameters.size(); ++index) {
      const Callable::Parameter &parameter = parameters[index];
      if (!parameter.isKeyword || llvm::is_contained(cursor.call->keywords, parameter.name))
        continue;
      if (lsp::CompletionItem *item = add(parameter.name + "=", lsp::CompletionItemKind::Property, "0"))
        item->detail = parameter.text;
    }
  }

  void addNames() {
    const Syntax &syntax = view.document->syntax();
    if (FunctionRef kernel = syntax.kernelAt(offset))
      for (const Occurrence &occurrence : namesOf(*kernel->definition).local) {
        bool isSelf = occurrence.range.begin == cursor.prefixBegin;
        if (!occurrence.isBinding || occurrence.scope != 0 || isSelf)
          continue;
        lsp::CompletionItem *item = add(occurrence.name.str(), lsp::CompletionItemKind::Variable, "1");
        const Fact *fact = item && view.analysis
                               ? view.analysis->lastFact(occurrence.name, wholeRange(*kernel->definition), offset)
                               : nullptr;
        if (fact)
          item->detail = fact->type;
      }
    for (const std::string &name : syntax.module->names())
      addGlobal(name);
    for (const Member &member : pythonNames())
      describe(add(member.name, itemKind(member.kind), "3"), callableOfPython(member.name));
  }

  void addGlobal(const std::string &name) {
    frontend::ObjectRef object = view.document->syntax().module->lookup(name);
    if (!object)
      return;
    bool isModule = object->is<std::shared_ptr<const frontend::Module>>();
    bool isFunction = object->is<std::shared_ptr<const frontend::Function>>();
    lsp::CompletionItem *item = add(name,
                                    isModule     ? lsp::CompletionItemKind::Module
                                    : isFunction ? lsp::CompletionItemKind::Function
                                                 : lsp::CompletionItemKind::Constant,
                                    "2");
    if (!item || isModule)
      return;
    if (auto *unusable = object->get<frontend::Unsupported>())
      item->detail = unusable->description;
    else if (!isFunction)
      item->detail = frontend::repr(*object);
    describe(item, callableOf(*object));
  }

  std::optional<Callable> callableOfPython(const std::string &name) {
    std::optional<Resolved> resolved = resolve(view, {name}, 0);
    return resolved ? resolved->callable : std::nullopt;
  }

  const View &view;
  uint32_t offset;
  Cursor cursor;
  lsp::CompletionList list;
  llvm::StringSet<> seen;
};

} // namespace

lsp::CompletionList completion(const View &view, lsp::Position position) {
  return Completer(view, view.document->lines.offset(position)).run();
}

std::optional<lsp::SignatureHelp> signatureHelp(const View &view, lsp::Position position) {
  Cursor cursor = cursorAt(view.document->text, view.document->lines.offset(position));
  if (!cursor.call || cursor.isInText)
    return std::nullopt;
  std::optional<Resolved> callee = resolve(view, cursor.call->callee, cursor.call->calleeBegin);
  if (!callee || !callee->callable)
    return std::nullopt;
  const Callable &callable = *callee->callable;
  lsp::SignatureInformation signature;
  signature.label = callable.signature();
  signature.documentation = callable.documentation;
  lsp::SignatureHelp help;
  help.activeParameter = static_cast<int>(cursor.call->position);
  for (auto [index, parameter] : llvm::enumerate(callable.parameters)) {
    signature.parameters.push_back({parameter.text, std::nullopt, ""});
    if (!cursor.call->keyword.empty() && parameter.name == cursor.call->keyword)
      help.activeParameter = static_cast<int>(index);
  }
  help.signatures.push_back(std::move(signature));
  return help;
}

} // namespace triton::language_server

// Changes of the text that remedy an error, and those that a kernel may need.
#include "language_server/Features.h"
#include "language_server/Resolve.h"

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

namespace diagnostics = frontend::diagnostics;
using llvm::dyn_cast;

namespace {

/// A change of one place.
struct Fix {
  std::string title;
  SourceRange range;
  std::string replacement;
};

class FixFinder {
public:
  FixFinder(const View &view, SourceRange place) : view(view), kernel(view.document->syntax().kernelAt(place.begin)) {}

  std::optional<Fix> fixOf(const ShownDiagnostic &shown) const {
    if (!shown.fixReplacement.empty())
      return Fix{"Change to `" + shown.fixReplacement + "`", shown.range, shown.fixReplacement};
    if (!kernel || !shown.kind)
      return std::nullopt;
    if (shown.kind == &diagnostics::NotCompileTime)
      return declareConstexpr(shown.range);
    if (shown.kind == &diagnostics::OtherWithoutMask)
      return addMaskBefore(shown.range);
    return convert(shown);
  }

  /// For a `tl.load` or `tl.store` around the place that has no mask, where the kernel has computed one of its shape.
  std::optional<Fix> addMask(SourceRange place) const {
    if (!kernel || !view.analysis)
      return std::nullopt;
    std::optional<Fix> fix;
    forEachNode([&](const ast::Node &node) {
      auto *call = dyn_cast<ast::Call>(&node);
      if (call && call->range.begin <= place.begin && place.end <= call->range.end)
        if (std::optional<Fix> found = addMaskTo(*call))
          fix = std::move(found);
    });
    return fix;
  }

private:
  void forEachNode(llvm::function_ref<void(const ast::Node &)> visit) const {
    auto walk = [&](auto &self, const ast::Node &node) -> void {
      visit(node);
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    walk(walk, *kernel->definition);
  }

  std::string textOf(SourceRange range) const {
    return view.document->text.substr(range.begin, range.end - range.begin);
  }

  /// The call that has the range as an argument, and the argument.
  std::pair<const ast::Call *, const ast::Expression *> argumentAt(SourceRange range) const {
    std::pair<const ast::Call *, const ast::Expression *> found{nullptr, nullptr};
    auto take = [&](const ast::Call &call, const ast::Expression &value, SourceRange whole) {
      if (value.range == range || whole == range)
        found = {&call, &value};
    };
    forEachNode([&](const ast::Node &node) {
      if (auto *call = dyn_cast<ast::Call>(&node)) {
        for (const ast::Expression *argument : call->arguments)
          take(*call, *argument, argument->range);
        for (const ast::Keyword &keyword : call->keywords)
          take(*call, *keyword.value, keyword.range);
      }
    });
    return found;
  }

  /// The text of an expression as the operand of `.` or of a comparison.
  std::string operandText(const ast::Expression &value) const {
    bool isSimple = llvm::isa<ast::Name, ast::Attribute, ast::Call, ast::Subscript>(&value);
    return isSimple ? textOf(value.range) : "(" + textOf(value.range) + ")";
  }

  /// "tl.": how the file names the language.
  std::string language() const {
    const auto &module = view.document->syntax().module;
    for (const std::string &name : module->names())
      if (frontend::ObjectRef object = module->lookup(name))
        if (auto *known = object->get<std::shared_ptr<const frontend::Module>>();
            known && (*known)->name == "triton.language")
          return name + ".";
    return "tl.";
  }

  /// A parameter that something needs at compile time, and that has no annotation yet.
  std::optional<Fix> declareConstexpr(SourceRange range) const {
    auto *name = llvm::dyn_cast_or_null<ast::Name>(argumentAt(range).second);
    if (!name)
      return std::nullopt;
    for (const ast::Parameter &parameter : kernel->definition->parameters)
      if (parameter.name.name == name->id && !parameter.annotation)
        return Fix{"Declare `" + name->id.str() + "` as `" + language() + "constexpr`",
                   {parameter.name.range.end, parameter.name.range.end},
                   ": " + language() + "constexpr"};
    return std::nullopt;
  }

  Fix replaceBy(SourceRange range, const std::string &text) const { return {"Change to `" + text + "`", range, text}; }

  std::optional<Fix> convert(const ShownDiagnostic &shown) const {
    auto [call, value] = argumentAt(shown.range);
    if (shown.kind == &diagnostics::DtypeNotCallable)
      return convertByDtype(shown.range);
    if (!value)
      return std::nullopt;
    if (shown.kind == &diagnostics::MaskType)
      return replaceBy(value->range, operandText(*value) + " != 0");
    if (shown.kind == &diagnostics::MathType || shown.kind == &diagnostics::FdivTypes) {
      bool takesFloats = shown.kind == &diagnostics::FdivTypes || llvm::StringRef(shown.message).contains("takes fp32");
      return takesFloats ? std::optional(convertTo(*value, value->range, "float32")) : std::nullopt;
    }
    if (shown.kind != &diagnostics::RuntimeConversion)
      return std::nullopt;
    std::string function = textOf(call->function->range);
    if (function == "bool")
      return replaceBy(call->range, operandText(*value) + " != 0");
    return convertTo(*value, call->range, function == "int" ? "int32" : "float32");
  }

  Fix convertTo(const ast::Expression &value, SourceRange range, const char *dtype) const {
    return replaceBy(range, operandText(value) + ".to(" + language() + dtype + ")");
  }

  /// `tl.float32(x)`.
  std::optional<Fix> convertByDtype(SourceRange range) const {
    std::optional<Fix> fix;
    forEachNode([&](const ast::Node &node) {
      auto *call = dyn_cast<ast::Call>(&node);
      bool isMeant = call && (call->range == range || call->function->range == range);
      if (isMeant && call->arguments.size() == 1 && call->keywords.empty())
        fix = replaceBy(call->range,
                        operandText(*call->arguments.front()) + ".to(" + textOf(call->function->range) + ")");
    });
    return fix;
  }

  /// The last block of booleans before a place whose type ends with this shape, such as "[64]"; empty: any shape.
  std::string maskBefore(uint32_t offset, llvm::StringRef shape) const {
    std::string mask;
    for (const Occurrence &name : namesOf(*kernel->definition).local) {
      if (!name.isBinding || name.scope != 0 || name.range.begin >= offset)
        continue;
      for (const Fact &fact : view.analysis->factsAt(name.range))
        if (llvm::StringRef type = fact.type; type.consume_front("int1") && (shape.empty() || type == shape))
          mask = name.name.str();
    }
    return mask;
  }

  std::optional<Fix> addMaskBefore(SourceRange other) const {
    auto [call, value] = argumentAt(other);
    std::string mask = call && view.analysis ? maskBefore(call->range.begin, "") : "";
    if (mask.empty())
      return std::nullopt;
    auto keyword = llvm::find_if(call->keywords, [&, value = value](const auto &each) { return each.value == value; });
    if (keyword == call->keywords.end())
      return std::nullopt;
    return Fix{"Add `mask=" + mask + "`", {keyword->range.begin, keyword->range.begin}, "mask=" + mask + ", "};
  }

  std::optional<Fix> addMaskTo(const ast::Call &call) const {
    std::optional<Resolved> callee = resolve(view, partsOf(*call.function), call.range.begin);
    if (!callee || !callee->callable)
      return std::nullopt;
    bool isLoad = callee->callable->name == "tl.load", isStore = callee->callable->name == "tl.store";
    size_t needed = isLoad ? 1 : 2;
    bool hasMask = llvm::any_of(call.keywords, [](const ast::Keyword &each) { return each.name.name == "mask"; });
    if ((!isLoad && !isStore) || hasMask || call.arguments.size() != needed)
      return std::nullopt;
    std::string shape = shapeOf(isLoad ? bindingOf(call) : call.arguments.back());
    std::string mask = shape.empty() ? "" : maskBefore(call.range.begin, shape);
    if (mask.empty())
      return std::nullopt;
    uint32_t end = call.arguments.back()->range.end;
    return Fix{"Add `mask=" + mask + "`", {end, end}, ", mask=" + mask};
  }

  static std::vector<std::string> partsOf(const ast::Expression &function) {
    auto *attribute = dyn_cast<ast::Attribute>(&function);
    auto *owner = attribute ? dyn_cast<ast::Name>(attribute->value) : nullptr;
    return owner ? std::vector{owner->id.str(), attribute->attribute.name.str()} : std::vector<std::string>();
  }

  /// The name to which the call's result is assigned.
  const ast::Expression *bindingOf(const ast::Call &call) const {
    const ast::Expression *binding = nullptr;
    forEachNode([&](const ast::Node &node) {
      if (auto *assign = dyn_cast<ast::Assign>(&node); assign && assign->value == &call && assign->targets.size() == 1)
        binding = assign->targets.front();
    });
    return binding;
  }

  /// "[64]" of a name that denotes a block.
  std::string shapeOf(const ast::Expression *expression) const {
    auto *name = llvm::dyn_cast_or_null<ast::Name>(expression);
    if (!name)
      return "";
    llvm::ArrayRef<Fact> facts = view.analysis->factsAt(name->range);
    if (facts.empty())
      if (const Fact *last = view.analysis->lastFact(name->id, wholeRange(*kernel->definition), name->range.begin))
        facts = *last;
    llvm::StringRef type = facts.empty() ? llvm::StringRef() : llvm::StringRef(facts.front().type);
    return type.ends_with("]") ? type.substr(type.find('[')).str() : "";
  }

  const View &view;
  FunctionRef kernel;
};

} // namespace

std::vector<lsp::CodeAction> codeActions(const View &view, const lsp::Range &range) {
  std::vector<lsp::CodeAction> actions;
  if (!view.analysis)
    return actions;
  auto add = [&](const Fix &fix, llvm::StringRef kind) -> lsp::CodeAction & {
    lsp::CodeAction &action = actions.emplace_back();
    action.title = fix.title;
    action.kind = kind.str();
    action.edit.emplace();
    action.edit->changes[view.document->uri.uri().str()] = {{view.document->lines.range(fix.range), fix.replacement}};
    return action;
  };
  SourceRange wanted = view.document->lines.range(range);
  for (const ShownDiagnostic &shown : view.analysis->diagnostics) {
    if (shown.range.end < wanted.begin || shown.range.begin > wanted.end)
      continue;
    std::optional<Fix> fix = FixFinder(view, shown.range).fixOf(shown);
    if (!fix)
      continue;
    lsp::CodeAction &action = add(*fix, lsp::CodeAction::kQuickFix);
    action.isPreferred = true;
    action.diagnostics = {toProtocol(shown, *view.document)};
  }
  if (std::optional<Fix> fix = FixFinder(view, wanted).addMask(wanted))
    add(*fix, lsp::CodeAction::kRefactor);
  return actions;
}

} // namespace triton::language_server

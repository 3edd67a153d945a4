#include "language_server/CallGraph.h"
#include "language_server/Cursor.h"
#include "language_server/Resolve.h"

namespace triton::language_server {

namespace {

std::string codeBlock(llvm::StringRef text) { return ("```python\n" + text + "\n```").str(); }

std::string join(const std::vector<Fact> &facts) {
  std::string text;
  for (const Fact &fact : facts)
    text += (text.empty() ? "" : " | ") + fact.type;
  return text;
}

/// The guess on which the types in a kernel rest. Functions that kernels call have those of their calls.
std::string guessAt(const View &view, uint32_t offset) {
  FunctionRef kernel = view.document->syntax().kernelAt(offset);
  if (!view.analysis || !kernel)
    return "";
  auto index = llvm::find(view.document->syntax().kernels, kernel) - view.document->syntax().kernels.begin();
  auto found = view.analysis->guesses.find(index);
  if (found == view.analysis->guesses.end() || found->second.text.empty())
    return "";
  const char *heading = found->second.hasSettings ? "Arguments of the settings, others guessed" : "Guessed arguments";
  return std::string("\n\n") + heading + ": `" + found->second.text + "`";
}

/// The layouts of the tensors that a name denotes, or that they are not known yet.
std::string layoutsOf(const std::vector<Fact> &facts, const View &view, LayoutFinder &finder) {
  auto isBlock = [](const Fact &fact) {
    return fact.kind == ValueKind::Tensor && llvm::StringRef(fact.type).ends_with("]");
  };
  if (!view.analysis || llvm::none_of(facts, isBlock))
    return "";
  const Syntax &syntax = view.document->syntax();
  KernelKeys keys(syntax);
  std::optional<size_t> holder = keys.holder(facts.front().range);
  auto root = holder ? view.analysis->roots.find(keys.key(*holder)) : view.analysis->roots.end();
  if (root == view.analysis->roots.end())
    return "";
  const GuessedArguments &guess = view.analysis->guesses.at(root->second);
  const Machine &machine = guess.machine;
  if (machine.target.backend == "cpu")
    return "\n\nThe settings name a processor, on which tensors have no layouts";
  std::string heading = "\n\nLayout on `" + nameOf(machine.target) + "` with " + std::to_string(machine.numWarps) +
                        (machine.numWarps == 1 ? " warp" : " warps");
  KernelLayoutsRef known =
      finder.find({view.document, syntax.kernels[root->second], guess.arguments, machine, guess.stamp});
  if (!known)
    return heading + ": the kernel is being compiled";
  std::string lines;
  for (const Fact &fact : facts) {
    uint32_t begin = keys.begin(*holder);
    if (auto *value = known->find(keys.key(*holder), {fact.range.begin - begin, fact.range.end - begin}, fact.type))
      for (const std::string &layout : value->layouts)
        lines += "\n- " + layout;
  }
  return lines.empty() ? "" : heading + ":\n" + lines;
}

std::string textOf(const Resolved &resolved, const DottedName &name, const View &view, LayoutFinder &finder) {
  if (resolved.callable) {
    std::string text = codeBlock(resolved.callable->signature());
    return resolved.callable->documentation.empty() ? text : text + "\n\n" + resolved.callable->documentation;
  }
  if (resolved.isLocal) {
    if (resolved.facts.empty())
      return "";
    bool isConstant = resolved.facts.front().kind == ValueKind::Constant;
    return codeBlock(name.parts.back() + (isConstant ? " = " : ": ") + join(resolved.facts)) +
           guessAt(view, name.range.begin) + layoutsOf(resolved.facts, view, finder);
  }
  if (auto *unusable = resolved.object->get<frontend::Unsupported>())
    return codeBlock(name.parts.back()) + "\n\n" + unusable->description;
  if (auto *module = resolved.object->get<std::shared_ptr<const frontend::Module>>())
    return codeBlock("(module) " + (*module)->name);
  return codeBlock(name.parts.back() + " = " + frontend::repr(*resolved.object));
}

} // namespace

std::optional<lsp::Hover> hover(const View &view, lsp::Position position, LayoutFinder &finder) {
  uint32_t offset = view.document->lines.offset(position);
  DottedName name = dottedNameAt(view.document->text, offset);
  std::optional<Resolved> resolved = resolve(view, name.parts, name.range.begin);
  if (!resolved)
    return std::nullopt;
  std::string text = textOf(*resolved, name, view, finder);
  if (text.empty())
    return std::nullopt;
  lsp::Hover hover(view.document->lines.range(name.range));
  hover.contents.value = std::move(text);
  return hover;
}

std::vector<lsp::InlayHint> inlayHints(const View &view, const lsp::Range &range) {
  std::vector<lsp::InlayHint> hints;
  if (!view.analysis)
    return hints;
  SourceRange wanted = view.document->lines.range(range);
  for (const FunctionRef &kernel : view.document->syntax().kernels) {
    SourceRange whole = wholeRange(*kernel->definition);
    if (whole.end < wanted.begin || whole.begin > wanted.end)
      continue;
    for (const Occurrence &occurrence : namesOf(*kernel->definition).local) {
      if (!occurrence.isBinding || occurrence.range.end < wanted.begin || occurrence.range.begin > wanted.end)
        continue;
      std::vector<Fact> facts = view.analysis->factsAt(occurrence.range).vec();
      // A longer hint would hide the code.
      constexpr size_t maximumLength = 60;
      std::string text = join(facts);
      if (text.empty() || text.size() > maximumLength)
        continue;
      bool isConstant = facts.front().kind == ValueKind::Constant;
      lsp::InlayHint hint(lsp::InlayHintKind::Type, view.document->lines.position(occurrence.range.end));
      hint.label = (isConstant ? " = " : ": ") + text;
      hints.push_back(std::move(hint));
    }
  }
  return hints;
}

} // namespace triton::language_server

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
  if (found == view.analysis->guesses.end() || found->second.empty())
    return "";
  return "\n\nGuessed arguments: `" + found->second + "`";
}

std::string textOf(const Resolved &resolved, const DottedName &name, const View &view) {
  if (resolved.callable) {
    std::string text = codeBlock(resolved.callable->signature());
    return resolved.callable->documentation.empty() ? text : text + "\n\n" + resolved.callable->documentation;
  }
  if (resolved.isLocal) {
    if (resolved.facts.empty())
      return "";
    bool isConstant = resolved.facts.front().kind == ValueKind::Constant;
    return codeBlock(name.parts.back() + (isConstant ? " = " : ": ") + join(resolved.facts)) +
           guessAt(view, name.range.begin);
  }
  if (auto *unusable = resolved.object->get<frontend::Unsupported>())
    return codeBlock(name.parts.back()) + "\n\n" + unusable->description;
  if (auto *module = resolved.object->get<std::shared_ptr<const frontend::Module>>())
    return codeBlock("(module) " + (*module)->name);
  return codeBlock(name.parts.back() + " = " + frontend::repr(*resolved.object));
}

} // namespace

std::optional<lsp::Hover> hover(const View &view, lsp::Position position) {
  uint32_t offset = view.document->lines.offset(position);
  DottedName name = dottedNameAt(view.document->text, offset);
  std::optional<Resolved> resolved = resolve(view, name.parts, name.range.begin);
  if (!resolved)
    return std::nullopt;
  std::string text = textOf(*resolved, name, view);
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

#include "language_server/TextQuestions.h"

#include "language_server/Workspace.h"

#include "llvm/Support/FileSystem.h"

namespace triton::language_server {

namespace json = llvm::json;

struct TextQuestions::State {
  explicit State(lsp::URIForFile uri) : uri(std::move(uri)), workspace([](const Analysis &) {}) {}

  /// What is known of the question's text, of which equal parts of earlier texts are not analyzed again.
  View viewOf(const std::string &text) {
    DocumentRef document = workspace.document(uri);
    if (!document || document->text != text) {
      finder.abandon();
      workspace.open(uri, ++version, text);
    }
    return *workspace.view(uri);
  }

  const lsp::URIForFile uri;
  int64_t version = 0;
  LayoutFinder finder;
  Workspace workspace; ///< last, because its thread uses the others
};

static lsp::URIForFile uriOfPath(const std::string &path) {
  llvm::SmallString<128> absolute(path);
  if (llvm::sys::fs::make_absolute(absolute))
    return {};
  return llvm::cantFail(lsp::URIForFile::fromFile(absolute));
}

TextQuestions::TextQuestions(std::string path) : path(std::move(path)) {}
TextQuestions::~TextQuestions() = default;

template <typename T> static json::Value valueOf(const std::optional<T> &result) {
  return result ? json::Value(lsp::toJSON(*result)) : json::Value(nullptr);
}

llvm::Expected<json::Value> TextQuestions::answer(const TextQuestion &question) {
  std::lock_guard lock(mutex);
  if (!state)
    state = std::make_unique<State>(uriOfPath(path));
  auto view = [&] { return state->viewOf(question.text); };
  if (question.method == "completion")
    return lsp::toJSON(completion(view(), question.position));
  if (question.method == "hover")
    return valueOf(hover(view(), question.position, state->finder));
  if (question.method == "signatureHelp")
    return valueOf(signatureHelp(view(), question.position));
  return llvm::createStringError("the method is `" + question.method +
                                 "`; the page's questions are `completion`, `hover` and `signatureHelp`");
}

} // namespace triton::language_server

// Renames local names of kernels. What could change the meaning of the program is refused.
#include "language_server/Features.h"
#include "language_server/Names.h"

#include "frontend/Lexer.h"
#include "frontend/Parser.h"
#include "frontend/lowering/Constructs.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

using llvm::dyn_cast;

namespace {

llvm::Error refuse(const llvm::Twine &reason) {
  return llvm::make_error<lsp::LSPError>(reason.str(), lsp::ErrorCode::RequestFailed);
}

std::string quoted(llvm::StringRef name) { return ("`" + name + "`").str(); }

struct Target {
  FunctionRef kernel;
  FunctionNames names;
  Occurrence occurrence;
};

bool isParameter(const Target &target) {
  return target.occurrence.scope == 0 &&
         llvm::any_of(target.kernel->definition->parameters,
                      [&](const ast::Parameter &parameter) { return parameter.name.name == target.occurrence.name; });
}

/// Whether the text outside of the function's own body may name its parameter: as a keyword, or in a string such as the
/// key of an autotune configuration.
bool isNamedOutside(const Document &document, llvm::StringRef name) {
  bool isFound = false;
  auto walk = [&](auto &self, const ast::Node &node) -> void {
    if (auto *call = dyn_cast<ast::Call>(&node))
      isFound |= llvm::any_of(call->keywords, [&](const ast::Keyword &keyword) { return keyword.name.name == name; });
    if (auto *constant = dyn_cast<ast::Constant>(&node))
      isFound |= constant->constantKind == ast::ConstantKind::String && constant->text == name;
    ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
  };
  for (const ast::Statement *statement : frontend::moduleOf(*document.syntax().source).body)
    walk(walk, *statement);
  return isFound;
}

llvm::Expected<Target> targetAt(const View &view, lsp::Position position) {
  const Syntax &syntax = view.document->syntax();
  uint32_t offset = view.document->lines.offset(position);
  FunctionRef kernel = syntax.kernelAt(offset);
  if (!kernel)
    return refuse("only names inside of kernels can be renamed");
  SourceRange whole = wholeRange(*kernel->definition);
  for (const Diagnostic &error : syntax.errors)
    if (whole.begin <= error.range.begin && error.range.begin <= whole.end)
      return refuse("the kernel " + quoted(kernel->name) + " has a syntax error: " + error.message);
  Target target{kernel, namesOf(*kernel->definition), {}};
  const Occurrence *occurrence = target.names.at(offset);
  if (!occurrence) {
    bool isGlobal = llvm::any_of(target.names.globals, [&](const Occurrence &other) {
      return other.range.begin <= offset && offset <= other.range.end;
    });
    return refuse(isGlobal
                      ? "this name is defined outside of the kernel; only names that the kernel itself assigns can "
                        "be renamed"
                      : "there is no name here that the kernel assigns");
  }
  if (target.names.declaresGlobals)
    return refuse("the function declares names `global` or `nonlocal`, so that they may mean the same elsewhere");
  target.occurrence = *occurrence;
  if (isParameter(target) && isNamedOutside(*view.document, occurrence->name))
    return refuse("the parameter " + quoted(occurrence->name) +
                  " is also given by its name, as a keyword or in a configuration, which would not be renamed");
  return target;
}

llvm::Error checkNewName(const Target &target, llvm::StringRef newName) {
  auto source = Source::create("", newName.str());
  frontend::DiagnosticSink sink(*source);
  std::vector<frontend::Token> tokens = frontend::lex(*source, frontend::LexStart::File, sink);
  bool isName = sink.isEmpty() && !tokens.empty() && tokens.front().kind == frontend::TokenKind::Name &&
                tokens.front().range == SourceRange{0, static_cast<uint32_t>(newName.size())};
  if (!isName)
    return refuse(quoted(newName) + " is not a name");
  for (const Occurrence &other : target.names.local)
    if (other.name == newName)
      return refuse("the kernel already has a name " + quoted(newName));
  for (const Occurrence &other : target.names.globals)
    if (other.name == newName)
      return refuse("the kernel reads a global " + quoted(newName) + ", which the new name would hide");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<lsp::Range> prepareRename(const View &view, lsp::Position position) {
  llvm::Expected<Target> target = targetAt(view, position);
  if (!target)
    return target.takeError();
  return view.document->lines.range(target->occurrence.range);
}

llvm::Expected<lsp::WorkspaceEdit> rename(const View &view, lsp::Position position, llvm::StringRef newName) {
  llvm::Expected<Target> target = targetAt(view, position);
  if (!target)
    return target.takeError();
  if (llvm::Error error = checkNewName(*target, newName))
    return error;
  lsp::WorkspaceEdit edit;
  std::vector<lsp::TextEdit> &edits = edit.changes[view.document->uri.uri().str()];
  for (const Occurrence &occurrence : target->names.same(target->occurrence))
    edits.push_back({view.document->lines.range(occurrence.range), newName.str()});
  return edit;
}

} // namespace triton::language_server

#include "language_server/Server.h"

#include "language_server/MessageInput.h"
#include "language_server/Protocol.h"
#include "language_server/Workspace.h"

#include "base/Version.h"

#include "llvm/Support/LSP/Transport.h"

namespace triton::language_server {

namespace json = llvm::json;
template <typename T> using Reply = lsp::Callback<T>;

namespace {

class Server {
public:
  explicit Server(lsp::MessageHandler &handler)
      : publishDiagnostics(
            handler.outgoingNotification<lsp::PublishDiagnosticsParams>("textDocument/publishDiagnostics")),
        showMessage(handler.outgoingNotification<lsp::ShowMessageParams>("window/logMessage")),
        workspace([this](const Analysis &analysis) { publishDiagnostics(publishedDiagnostics(analysis)); }) {
    handler.method("initialize", this, &Server::onInitialize);
    handler.notification("initialized", this, &Server::ignore);
    handler.method("shutdown", this, &Server::onShutdown);
    handler.method(MessageInput::malformedMethod, this, &Server::onMalformed);
    handler.notification("textDocument/didOpen", this, &Server::onOpen);
    handler.notification("textDocument/didChange", this, &Server::onChange);
    handler.notification("textDocument/didClose", this, &Server::onClose);
    handler.notification("textDocument/didSave", this, &Server::ignore);
    handler.notification("workspace/didChangeConfiguration", this, &Server::ignore);
    handler.notification("$/setTrace", this, &Server::ignore);
    handler.notification("$/cancelRequest", this, &Server::ignore);
    handler.method("textDocument/hover", this, &Server::onHover);
    handler.method("textDocument/inlayHint", this, &Server::onInlayHint);
    handler.method("textDocument/completion", this, &Server::onCompletion);
    handler.method("textDocument/signatureHelp", this, &Server::onSignatureHelp);
    handler.method("textDocument/definition", this, &Server::onDefinition);
    handler.method("textDocument/references", this, &Server::onReferences);
    handler.method("textDocument/documentSymbol", this, &Server::onDocumentSymbol);
    handler.method("textDocument/codeAction", this, &Server::onCodeAction);
    handler.method("textDocument/semanticTokens/full", this, &Server::onSemanticTokens);
    handler.method("textDocument/prepareRename", this, &Server::onPrepareRename);
    handler.method("textDocument/rename", this, &Server::onRename);
  }

  bool wasShutDown() const { return isShutDown; }

private:
  void onInitialize(const lsp::NoParams &, Reply<json::Value> reply);
  void ignore(const lsp::NoParams &) {}

  void onShutdown(const lsp::NoParams &, Reply<std::nullptr_t> reply) {
    isShutDown = true;
    reply(nullptr);
  }

  void onMalformed(const MalformedParams &params, Reply<std::nullptr_t> reply) {
    reply(llvm::make_error<lsp::LSPError>(params.reason, lsp::ErrorCode::ParseError));
  }

  void onOpen(const lsp::DidOpenTextDocumentParams &params) {
    workspace.open(params.textDocument.uri, params.textDocument.version, params.textDocument.text);
  }
  void onChange(const lsp::DidChangeTextDocumentParams &params) {
    finder.abandon();
    if (!workspace.change(params.textDocument.uri, params.textDocument.version, params.contentChanges))
      logNotOpen("changed", params.textDocument.uri);
  }
  void onClose(const lsp::DidCloseTextDocumentParams &params) {
    if (!workspace.close(params.textDocument.uri))
      return logNotOpen("closed", params.textDocument.uri);
    publishDiagnostics(lsp::PublishDiagnosticsParams(params.textDocument.uri, 0)); // none
  }
  void logNotOpen(llvm::StringRef action, const lsp::URIForFile &uri) {
    showMessage(lsp::ShowMessageParams(lsp::MessageType::Warning,
                                       ("a document that is not open was " + action + ": " + uri.uri()).str()));
  }

  /// Answers with what `answer` says about the document, or with an error if it is not open.
  template <typename T, typename Answer> void withView(const lsp::URIForFile &uri, Reply<T> &reply, Answer answer) {
    if (std::optional<View> view = workspace.view(uri))
      reply(answer(*view));
    else
      reply(llvm::make_error<lsp::LSPError>("the document is not open: " + uri.uri().str(),
                                            lsp::ErrorCode::InvalidParams));
  }

  void onHover(const lsp::TextDocumentPositionParams &params, Reply<std::optional<lsp::Hover>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return hover(view, params.position, finder); });
  }
  void onInlayHint(const lsp::InlayHintsParams &params, Reply<std::vector<lsp::InlayHint>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return inlayHints(view, params.range); });
  }
  void onCompletion(const lsp::CompletionParams &params, Reply<lsp::CompletionList> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return completion(view, params.position); });
  }
  void onSignatureHelp(const lsp::TextDocumentPositionParams &params, Reply<std::optional<lsp::SignatureHelp>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return signatureHelp(view, params.position); });
  }
  void onDefinition(const lsp::TextDocumentPositionParams &params, Reply<std::vector<lsp::Location>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return definition(view, params.position); });
  }
  void onReferences(const lsp::ReferenceParams &params, Reply<std::vector<lsp::Location>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return references(view, params.position); });
  }
  void onDocumentSymbol(const lsp::DocumentSymbolParams &params, Reply<std::vector<lsp::DocumentSymbol>> reply) {
    if (DocumentRef document = workspace.document(params.textDocument.uri))
      reply(documentSymbols(*document));
    else
      withView(params.textDocument.uri, reply, [](const View &) { return std::vector<lsp::DocumentSymbol>(); });
  }
  void onCodeAction(const lsp::CodeActionParams &params, Reply<std::vector<lsp::CodeAction>> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return codeActions(view, params.range); });
  }
  void onSemanticTokens(const lsp::DocumentSymbolParams &params, Reply<json::Value> reply) { // the same parameters
    withView(params.textDocument.uri, reply,
             [](const View &view) { return json::Value(json::Object{{"data", semanticTokens(view)}}); });
  }
  void onPrepareRename(const lsp::TextDocumentPositionParams &params, Reply<lsp::Range> reply) {
    withView(params.textDocument.uri, reply, [&](const View &view) { return prepareRename(view, params.position); });
  }
  void onRename(const RenameParams &params, Reply<lsp::WorkspaceEdit> reply) {
    withView(params.textDocument.uri, reply,
             [&](const View &view) { return rename(view, params.position, params.newName); });
  }

  lsp::OutgoingNotification<lsp::PublishDiagnosticsParams> publishDiagnostics;
  lsp::OutgoingNotification<lsp::ShowMessageParams> showMessage;
  bool isShutDown = false;
  LayoutFinder finder;
  Workspace workspace; ///< last, because its thread uses the others
};

void Server::onInitialize(const lsp::NoParams &, Reply<json::Value> reply) {
  json::Object legend{{"tokenTypes", json::Array(semanticTokenTypes())},
                      {"tokenModifiers", json::Array(semanticTokenModifiers())}};
  json::Object capabilities{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       json::Object{{"openClose", true}, {"change", static_cast<int>(lsp::TextDocumentSyncKind::Incremental)}}},
      {"hoverProvider", true},
      {"inlayHintProvider", true},
      {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}},
      {"signatureHelpProvider", json::Object{{"triggerCharacters", json::Array{"(", ","}}}},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"codeActionProvider",
       json::Object{{"codeActionKinds", json::Array{lsp::CodeAction::kQuickFix, lsp::CodeAction::kRefactor}}}},
      {"semanticTokensProvider", json::Object{{"legend", std::move(legend)}, {"full", true}}},
      {"renameProvider", json::Object{{"prepareProvider", true}}},
  };
  json::Object server{{"name", "tritonc lsp"}, {"version", base::version()}};
  reply(json::Object{{"serverInfo", std::move(server)}, {"capabilities", std::move(capabilities)}});
}

} // namespace

int serve(std::FILE *input, llvm::raw_ostream &output) {
  lsp::JSONTransport transport(std::make_unique<MessageInput>(input), output);
  lsp::MessageHandler handler(transport);
  Server server(handler);
  // The input ends with an error where a client goes away without the notification `exit`.
  llvm::consumeError(transport.run(handler));
  return server.wasShutDown() ? 0 : 1;
}

} // namespace triton::language_server

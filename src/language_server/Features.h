// The answers to the questions of an editor. Each function answers one kind of request for a version of a document.
#pragma once

#include "language_server/Analysis.h"
#include "language_server/LayoutFinder.h"

namespace triton::language_server {

/// A version of a document, and what is known of it. The analysis may be missing.
struct View {
  DocumentRef document;
  AnalysisRef analysis; ///< of this version, see carryOver
};

/// An analysis of an earlier version in terms of a later one: what is known of the text before and after the changed
/// part. It has no diagnostics.
AnalysisRef carryOver(const AnalysisRef &earlier, const DocumentRef &document);

lsp::Diagnostic toProtocol(const ShownDiagnostic &shown, const Document &document);
lsp::PublishDiagnosticsParams publishedDiagnostics(const Analysis &analysis);
std::optional<lsp::Hover> hover(const View &view, lsp::Position position, LayoutFinder &finder);
std::vector<lsp::InlayHint> inlayHints(const View &view, const lsp::Range &range);
lsp::CompletionList completion(const View &view, lsp::Position position);
std::optional<lsp::SignatureHelp> signatureHelp(const View &view, lsp::Position position);
std::vector<lsp::Location> definition(const View &view, lsp::Position position);
std::vector<lsp::Location> references(const View &view, lsp::Position position);
std::vector<lsp::DocumentSymbol> documentSymbols(const Document &document);
/// What remedies the diagnostics at a range, and what the code there may need.
std::vector<lsp::CodeAction> codeActions(const View &view, const lsp::Range &range);

/// The names of the numbers in semantic tokens.
llvm::ArrayRef<llvm::StringLiteral> semanticTokenTypes();
llvm::ArrayRef<llvm::StringLiteral> semanticTokenModifiers();
/// What each name in a kernel is, in the protocol's encoding.
std::vector<uint32_t> semanticTokens(const View &view);

/// The range of the name that would be renamed. The error says why it cannot be.
llvm::Expected<lsp::Range> prepareRename(const View &view, lsp::Position position);
llvm::Expected<lsp::WorkspaceEdit> rename(const View &view, lsp::Position position, llvm::StringRef newName);

/// The URI of a text: of its file, or of a copy for texts that are part of the compiler. None when it cannot be
/// written.
std::optional<lsp::URIForFile> uriOf(const Source &source);

} // namespace triton::language_server

// The open documents, and the thread that analyzes them.
#pragma once

#include "language_server/Features.h"

#include "llvm/Support/thread.h"

#include <condition_variable>
#include <deque>

namespace triton::language_server {

/// All functions may be called from any thread.
class Workspace {
public:
  /// `publish` gets the result for the latest version of a document, on the thread of the analyses.
  explicit Workspace(std::function<void(const Analysis &)> publish);
  ~Workspace();

  /// Opens a document, or replaces an open one.
  void open(const lsp::URIForFile &uri, int64_t version, std::string text);
  /// Applies the changes in order. False when the document is not open.
  bool change(const lsp::URIForFile &uri, int64_t version, llvm::ArrayRef<lsp::TextDocumentContentChangeEvent> changes);
  /// False when the document is not open.
  bool close(const lsp::URIForFile &uri);

  /// The latest version of a document with what is known of it: waits a short time for its analysis, then takes what an
  /// earlier version's shows. None when the document is not open.
  std::optional<View> view(const lsp::URIForFile &uri);
  /// The latest version alone; null when the document is not open.
  DocumentRef document(const lsp::URIForFile &uri);

private:
  struct OpenFile {
    DocumentRef document;
    AnalysisRef analysis;
    std::shared_ptr<DocumentAnalyzer> analyzer;
  };
  /// A file on disk that an open one imports.
  struct ImportedFile {
    uint64_t stamp = 0;
    std::shared_ptr<const Source> source;
  };

  void replace(const lsp::URIForFile &uri, int64_t version, std::string text);
  void renew(OpenFile &file);
  void enqueue(const std::string &path);
  void enqueueDependents(const std::string &path);
  void run();
  void analyzeNext(std::unique_lock<std::mutex> &lock);
  std::shared_ptr<const Source> importedSource(const std::string &path);
  uint64_t importStamp(const std::string &path);

  std::function<void(const Analysis &)> publish;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, OpenFile> files; ///< by path
  std::deque<std::string> queue;         ///< paths of documents to analyze
  std::string current;                   ///< the path of the document that is being analyzed
  std::atomic<bool> isCancelled = false; ///< the current analysis is of an old version
  bool isClosing = false;
  std::mutex importsMutex;
  std::map<std::string, ImportedFile> imported;
  llvm::thread thread;
};

} // namespace triton::language_server

#include "language_server/Workspace.h"

#include "base/Files.h"
#include "language_server/Limits.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

namespace triton::language_server {

Workspace::Workspace(std::function<void(const Analysis &)> publish)
    : publish(std::move(publish)), thread(std::optional<unsigned>(stackSize), [this] { run(); }) {}

Workspace::~Workspace() {
  {
    std::lock_guard lock(mutex);
    isClosing = true;
    isCancelled = true;
  }
  changed.notify_all();
  thread.join();
}

void Workspace::open(const lsp::URIForFile &uri, int64_t version, std::string text) {
  std::lock_guard lock(mutex);
  replace(uri, version, std::move(text));
}

bool Workspace::change(const lsp::URIForFile &uri, int64_t version,
                       llvm::ArrayRef<lsp::TextDocumentContentChangeEvent> changes) {
  std::lock_guard lock(mutex);
  auto found = files.find(uri.file().str());
  if (found == files.end())
    return false;
  std::string text = found->second.document->text;
  for (const lsp::TextDocumentContentChangeEvent &change : changes)
    applyChange(text, change);
  replace(uri, version, std::move(text));
  return true;
}

void Workspace::replace(const lsp::URIForFile &uri, int64_t version, std::string text) {
  std::string path = uri.file().str();
  OpenFile &file = files[path];
  file.document = std::make_shared<Document>(uri, version, std::move(text),
                                             [this](const std::string &imported) { return importedSource(imported); });
  if (!file.analyzer)
    file.analyzer =
        std::make_shared<DocumentAnalyzer>([this](const std::string &imported) { return importStamp(imported); });
  if (current == path)
    isCancelled = true;
  enqueue(path);
  enqueueDependents(path);
  changed.notify_all();
}

void Workspace::enqueue(const std::string &path) {
  if (!llvm::is_contained(queue, path))
    queue.push_back(path);
}

/// Documents that import a changed one are analyzed after it.
void Workspace::enqueueDependents(const std::string &path) {
  for (auto &[other, file] : files)
    if (other != path && file.analysis && file.analysis->document->imports().count(path)) {
      renew(file);
      enqueue(other);
    }
}

/// Takes the same text again, because what it depends on has changed: imports are bound to their text when they are
/// first used.
void Workspace::renew(OpenFile &file) {
  file.document = std::make_shared<Document>(file.document->uri, file.document->version, file.document->text,
                                             [this](const std::string &imported) { return importedSource(imported); });
}

bool Workspace::close(const lsp::URIForFile &uri) {
  std::lock_guard lock(mutex);
  std::string path = uri.file().str();
  if (current == path)
    isCancelled = true;
  llvm::erase(queue, path);
  bool wasOpen = files.erase(path) != 0;
  if (wasOpen)
    enqueueDependents(path);
  changed.notify_all();
  return wasOpen;
}

DocumentRef Workspace::document(const lsp::URIForFile &uri) {
  std::lock_guard lock(mutex);
  auto found = files.find(uri.file().str());
  return found == files.end() ? nullptr : found->second.document;
}

std::optional<View> Workspace::view(const lsp::URIForFile &uri) {
  std::string path = uri.file().str();
  uint64_t settingsStamp = settings::stampOfSettings(path);
  std::unique_lock lock(mutex);
  auto isAnalyzed = [](const OpenFile &file) { return file.analysis && file.analysis->document == file.document; };
  auto isReady = [&] {
    auto found = files.find(path);
    return found == files.end() || isAnalyzed(found->second);
  };
  // Editors report nothing about files that they have not opened.
  if (auto open = files.find(path);
      open != files.end() && isAnalyzed(open->second) && open->second.analysis->settingsStamp != settingsStamp) {
    renew(open->second);
    enqueue(path);
    changed.notify_all();
  }
  changed.wait_for(lock, maximumWait, isReady);
  auto found = files.find(path);
  if (found == files.end())
    return std::nullopt;
  DocumentRef document = found->second.document;
  AnalysisRef analysis = found->second.analysis;
  lock.unlock();
  return View{document, carryOver(analysis, document)};
}

void Workspace::run() {
  std::unique_lock lock(mutex);
  while (!isClosing) {
    if (queue.empty())
      changed.wait(lock);
    else
      analyzeNext(lock);
  }
}

void Workspace::analyzeNext(std::unique_lock<std::mutex> &lock) {
  std::string path = queue.front();
  queue.pop_front();
  auto found = files.find(path);
  if (found == files.end())
    return;
  DocumentRef document = found->second.document;
  std::shared_ptr<DocumentAnalyzer> analyzer = found->second.analyzer;
  current = path;
  isCancelled = isClosing;
  lock.unlock();
  AnalysisRef analysis = analyzer->analyze(document, &isCancelled);
  lock.lock();
  current.clear();
  found = files.find(path);
  bool isLatest = analysis && found != files.end() && found->second.document == document;
  if (!isLatest)
    return;
  found->second.analysis = analysis;
  lock.unlock();
  changed.notify_all();
  publish(*analysis);
  lock.lock();
}

uint64_t Workspace::importStamp(const std::string &path) {
  {
    std::lock_guard lock(mutex);
    if (auto found = files.find(path); found != files.end())
      return llvm::xxh3_64bits(found->second.document->text);
  }
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return 0;
  return llvm::hash_combine(status.getSize(), status.getLastModificationTime().time_since_epoch().count());
}

/// The parsed text of a file that another one imports: that of the open document, or of the disk. A file that cannot be
/// read is empty, so that its names are unknown.
std::shared_ptr<const Source> Workspace::importedSource(const std::string &path) {
  {
    std::unique_lock lock(mutex);
    if (auto found = files.find(path); found != files.end()) {
      DocumentRef document = found->second.document;
      lock.unlock();
      return document->source();
    }
  }
  uint64_t stamp = importStamp(path);
  std::lock_guard lock(importsMutex);
  ImportedFile &file = imported[path];
  if (file.source && file.stamp == stamp)
    return file.source;
  llvm::ErrorOr<std::string> text = base::readWholeFile(path);
  file.source = frontend::recoverModule(path, text ? *text : "").source;
  file.stamp = stamp;
  return file.source;
}

} // namespace triton::language_server

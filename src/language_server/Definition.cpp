#include "language_server/Cursor.h"
#include "language_server/Resolve.h"

#include "frontend/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace triton::language_server {

namespace fs = llvm::sys::fs;

namespace {

/// A copy of a text of the compiler's own, for editors to show. Its folder is named after the contents, so that a copy
/// is written once; another server may write the same one meanwhile.
std::optional<std::string> copyOf(const Source &source) {
  llvm::SmallString<256> path;
  if (!llvm::sys::path::cache_directory(path))
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "triton-language-server",
                          llvm::utohexstr(llvm::xxh3_64bits(source.text()), /*LowerCase=*/true));
  if (fs::create_directories(path))
    return std::nullopt;
  llvm::sys::path::append(path, source.fileName());
  if (fs::exists(path))
    return path.str().str();
  llvm::SmallString<256> temporary;
  int descriptor = -1;
  if (fs::createUniqueFile(path + ".%%%%%%", descriptor, temporary))
    return std::nullopt;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << source.text();
  stream.close();
  if (stream.has_error() || fs::rename(temporary, path)) {
    stream.clear_error();
    fs::remove(temporary);
    return std::nullopt;
  }
  return path.str().str();
}

std::optional<lsp::Location> locationOf(const Source &source, SourceRange range) {
  std::optional<lsp::URIForFile> uri = uriOf(source);
  if (!uri)
    return std::nullopt;
  return lsp::Location(*uri, LineTable(source.text()).range(range));
}

/// Where a jit function is defined, possibly one of the prelude.
std::optional<lsp::Location> locationOf(const frontend::Object &object) {
  auto *function = object.get<std::shared_ptr<const frontend::Function>>();
  if (!function)
    return std::nullopt;
  return locationOf(*(*function)->source, (*function)->definition->name.range);
}

/// The occurrence of a local name at a place in a kernel.
struct LocalName {
  FunctionNames names;
  Occurrence occurrence;
};
std::optional<LocalName> localNameAt(const View &view, uint32_t offset) {
  FunctionRef kernel = view.document->syntax().kernelAt(offset);
  if (!kernel)
    return std::nullopt;
  LocalName result{namesOf(*kernel->definition), {}};
  const Occurrence *occurrence = result.names.at(offset);
  if (!occurrence)
    return std::nullopt;
  result.occurrence = *occurrence;
  return result;
}

lsp::Location locationIn(const View &view, SourceRange range) {
  return {view.document->uri, view.document->lines.range(range)};
}

std::vector<lsp::Location> globalDefinition(const View &view, const DottedName &name) {
  std::optional<Resolved> resolved = resolve(view, name.parts, name.range.begin);
  if (resolved && resolved->object)
    if (auto location = locationOf(*resolved->object))
      return {*location};
  if (name.parts.size() == 1)
    if (auto place = view.document->syntax().module->definition(name.parts.front()))
      if (auto location = locationOf(*place->source, place->range))
        return {*location};
  return {};
}

} // namespace

std::optional<lsp::URIForFile> uriOf(const Source &source) {
  llvm::SmallString<256> path(source.fileName());
  if (path.starts_with("triton.language.")) {
    std::optional<std::string> copy = copyOf(source);
    if (!copy)
      return std::nullopt;
    path = *copy;
  }
  llvm::Expected<lsp::URIForFile> uri = lsp::URIForFile::fromFile(path);
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return *uri;
}

std::vector<lsp::Location> definition(const View &view, lsp::Position position) {
  uint32_t offset = view.document->lines.offset(position);
  DottedName name = dottedNameAt(view.document->text, offset);
  if (name.parts.empty())
    return {};
  std::optional<LocalName> local = name.parts.size() == 1 ? localNameAt(view, offset) : std::nullopt;
  if (!local)
    return globalDefinition(view, name);
  // The binding before the place whose value it most likely has; for a binding itself the first one.
  std::vector<Occurrence> all = local->names.same(local->occurrence);
  const Occurrence *found = nullptr;
  for (const Occurrence &other : all)
    if (other.isBinding && (!found || (!local->occurrence.isBinding && other.range.begin < offset)))
      found = &other;
  return found ? std::vector{locationIn(view, found->range)} : std::vector<lsp::Location>();
}

std::vector<lsp::Location> references(const View &view, lsp::Position position) {
  std::vector<lsp::Location> locations;
  if (std::optional<LocalName> local = localNameAt(view, view.document->lines.offset(position)))
    for (const Occurrence &other : local->names.same(local->occurrence))
      locations.push_back(locationIn(view, other.range));
  return locations;
}

} // namespace triton::language_server

// tritonc cache: lists and maintains the cache directory.
#include "Commands.h"

#include "base/Environment.h"
#include "compiler/Cache.h"
#include "compiler/CacheSize.h"
#include "compiler/PrivateFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;
using namespace triton::compiler;

static std::string sizeText(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double size = double(bytes);
  unsigned unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit)
    size /= 1024;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(unit ? "%.1f " : "%.0f ", size) << units[unit];
  return text;
}

static void list(const std::vector<CacheFolder> &folders) {
  for (const CacheFolder &folder : folders) {
    std::string time;
    llvm::raw_string_ostream stream(time);
    stream << std::chrono::time_point_cast<std::chrono::seconds>(folder.lastUse);
    llvm::outs() << llvm::right_justify(sizeText(folder.size), 11) << "  " << time << "  "
                 << llvm::sys::path::filename(folder.path) << "  "
                 << (folder.names.empty() ? "-" : llvm::join(folder.names, ", ")) << '\n';
  }
}

static void printSize(const std::vector<CacheFolder> &folders, uint64_t limit) {
  llvm::outs() << folders.size() << " folders, " << sizeText(totalSize(folders)) << "; the limit is "
               << (limit ? sizeText(limit) : "none") << '\n';
}

static void prune(const std::string &directory, uint64_t limit) {
  std::optional<PruneResult> result = pruneCache(directory, limit);
  if (!result)
    throw UsageError("another process prunes `" + directory + "`, or it cannot be written");
  llvm::outs() << "removed " << result->removedFolders << " folders, " << sizeText(result->removedBytes) << "; "
               << sizeText(result->size) << " are left\n";
}

/// Fails when a kernel is damaged. Compilations treat it as absent.
static void verify(const std::vector<CacheFolder> &folders) {
  unsigned kernels = 0, damaged = 0;
  for (const CacheFolder &folder : folders)
    for (const std::string &name : folder.names) {
      ++kernels;
      if (readCacheFolder(folder.path, name))
        continue;
      ++damaged;
      llvm::errs() << "damaged: `" << name << "` in " << folder.path << '\n';
    }
  llvm::outs() << kernels << " kernels, " << damaged << " damaged\n";
  if (damaged) {
    std::string text =
        "damaged kernels are compiled again when they are needed; remove their folders to be rid of them";
    throw triton::Error(triton::Error::Kind::Run, text, text);
  }
}

void tritonc::inspectCache(const CacheCommand &command) {
  auto environment = triton::base::Environment::read();
  std::string given = command.directory.empty() ? environment.cacheDirectory() : command.directory;
  llvm::Expected<std::string> directory = resolvePrivateFolder(given);
  if (!directory)
    throw UsageError("cannot use the cache `" + given + "`: " + llvm::toString(directory.takeError()));
  std::string text = command.limit.empty() ? environment.cacheSizeLimit : command.limit;
  std::optional<uint64_t> limit = parseCacheSize(text);
  if (!limit)
    throw UsageError("`" + text + "` is not a size; write one like 500M or 16G");
  if (command.action == "list")
    list(listCacheFolders(*directory));
  else if (command.action == "size")
    printSize(listCacheFolders(*directory), *limit);
  else if (command.action == "prune")
    prune(*directory, command.limit.empty() && *limit == 0 ? UINT64_MAX : *limit);
  else if (command.action == "verify")
    verify(listCacheFolders(*directory));
  else
    throw UsageError("name what to do with the cache: list, size, prune or verify");
}

#include "compiler/CacheSize.h"

#include "compiler/PrivateFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace triton;
using namespace triton::compiler;
namespace fs = llvm::sys::fs;
using Clock = std::chrono::system_clock;
using std::chrono::minutes;

static constexpr uint64_t defaultLimit = 16ull << 30;
/// A use that follows another within this time is not recorded, because each record is a write.
static constexpr minutes useResolution{1};
/// The first write of a process looks at the whole cache unless some process has done so within this time.
static constexpr minutes lookInterval{10};
/// After this time, what a writer has not finished counts as abandoned.
static constexpr minutes abandonedAfter{60};
/// The file that a process holds while it prunes. Its time is the time of the last look at the whole cache.
static constexpr char lockName[] = ".pruned";
static constexpr char removedPrefix[] = "tmp.removed_";

static std::string joined(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

/// Whether this is the name of a key's folder: a hash of 32 bytes in base32.
static bool isKey(llvm::StringRef name) {
  return name.size() == 52 && llvm::all_of(name, [](char c) { return llvm::isUpper(c) || (c >= '2' && c <= '7'); });
}

template <typename Use> static void forEachEntry(llvm::StringRef directory, Use use) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error, /*follow_symlinks=*/false), end; entry != end && !error;
       entry.increment(error)) {
    fs::file_status status; // a file may disappear at any time
    if (!fs::status(entry->path(), status, /*follow=*/false))
      use(llvm::sys::path::filename(entry->path()), status);
  }
}

static CacheFolder readFolder(llvm::StringRef path) {
  CacheFolder folder;
  folder.path = path.str();
  forEachEntry(path, [&](llvm::StringRef name, const fs::file_status &status) {
    if (status.type() != fs::file_type::regular_file)
      return;
    folder.size += status.getSize();
    folder.lastUse = std::max<Clock::time_point>(
        folder.lastUse, std::chrono::time_point_cast<Clock::duration>(status.getLastModificationTime()));
    if (name.consume_front("__grp__") && name.consume_back(".json"))
      folder.names.push_back(name.str());
  });
  llvm::sort(folder.names);
  return folder;
}

std::vector<CacheFolder> compiler::listCacheFolders(llvm::StringRef directory) {
  std::vector<CacheFolder> folders;
  forEachEntry(directory, [&](llvm::StringRef name, const fs::file_status &status) {
    if (status.type() == fs::file_type::directory_file && isKey(name))
      folders.push_back(readFolder(joined(directory, name)));
  });
  llvm::sort(folders, [](const CacheFolder &a, const CacheFolder &b) {
    return std::tie(b.lastUse, a.path) < std::tie(a.lastUse, b.path);
  });
  return folders;
}

uint64_t compiler::totalSize(const std::vector<CacheFolder> &folders) {
  uint64_t size = 0;
  for (const CacheFolder &folder : folders)
    size += folder.size;
  return size;
}

std::optional<uint64_t> compiler::parseCacheSize(llvm::StringRef text) {
  if (text.empty())
    return defaultLimit;
  unsigned shift = 0;
  switch (llvm::toUpper(text.back())) {
  case 'K':
    shift = 10;
    break;
  case 'M':
    shift = 20;
    break;
  case 'G':
    shift = 30;
    break;
  case 'T':
    shift = 40;
    break;
  }
  uint64_t number;
  if (text.drop_back(shift ? 1 : 0).getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

/// Moves the folder out of readers' sight in one step, then removes it. A reader that is using it misses a file, and
/// compiles.
static bool removeFolder(llvm::StringRef directory, llvm::StringRef path) {
  std::string hidden = joined(directory, removedPrefix + llvm::Twine(llvm::sys::Process::getProcessId()) + "_" +
                                             llvm::utohexstr(llvm::sys::Process::GetRandomNumber()));
  return !fs::rename(path, hidden) && !fs::remove_directories(hidden);
}

static void removeAbandoned(llvm::StringRef directory) {
  std::vector<std::string> abandoned;
  forEachEntry(directory, [&](llvm::StringRef name, const fs::file_status &status) {
    if (name.starts_with("tmp.") && Clock::now() - status.getLastModificationTime() > abandonedAfter)
      abandoned.push_back(joined(directory, name));
  });
  for (const std::string &path : abandoned)
    fs::remove_directories(path);
}

static PruneResult pruneLocked(llvm::StringRef directory, uint64_t limit) {
  std::vector<CacheFolder> folders = listCacheFolders(directory);
  PruneResult result;
  result.size = totalSize(folders);
  // Prunes to a tenth below the limit, so that the next writes do not all prune again.
  uint64_t goal = result.size > limit ? limit - limit / 10 : limit;
  for (; result.size > goal && !folders.empty(); folders.pop_back()) {
    const CacheFolder &oldest = folders.back();
    // Another process may have used it since it was listed.
    if (readFolder(oldest.path).lastUse > oldest.lastUse || !removeFolder(directory, oldest.path))
      continue;
    result.size -= oldest.size;
    result.removedBytes += oldest.size;
    ++result.removedFolders;
  }
  removeAbandoned(directory);
  return result;
}

std::optional<PruneResult> compiler::pruneCache(llvm::StringRef directory, uint64_t limit) {
  int lock = open(joined(directory, lockName).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0)
    return std::nullopt;
  llvm::scope_exit closeLock([&] { close(lock); });
  if (flock(lock, LOCK_EX | LOCK_NB) != 0)
    return std::nullopt;
  futimens(lock, nullptr);
  return pruneLocked(directory, limit);
}

void compiler::markCacheFolderUsed(llvm::StringRef folder, llvm::StringRef fileName) {
  std::string path = joined(folder, fileName);
  fs::file_status status;
  if (!fs::status(path, status, /*follow=*/false) && Clock::now() - status.getLastModificationTime() > useResolution)
    utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

static uint64_t readLimit(const std::string &text) {
  if (std::optional<uint64_t> limit = parseCacheSize(text))
    return *limit;
  static std::once_flag once;
  std::call_once(once, [&] {
    llvm::errs() << "warning: TRITON_CACHE_SIZE_LIMIT is `" << text
                 << "`, which is not a size like 500M or 16G; the limit is 16G\n";
  });
  return defaultLimit;
}

/// Counts what this process writes to a directory. True when that is much, or when nobody has looked for some time.
static bool mayHaveOutgrown(llvm::StringRef directory, uint64_t bytes, uint64_t limit) {
  static std::mutex mutex;
  static auto &written = *new std::map<std::string, uint64_t>; // bytes since this process looked
  std::lock_guard lock(mutex);
  auto [it, isFirst] = written.try_emplace(directory.str(), 0);
  it->second += bytes;
  bool isMuch = it->second >= limit / 32;
  if (isFirst && !isMuch) {
    fs::file_status status;
    isMuch = fs::status(joined(directory, lockName), status, /*follow=*/false) ||
             Clock::now() - status.getLastModificationTime() > lookInterval;
  }
  if (isMuch)
    it->second = 0;
  return isMuch;
}

void compiler::limitCacheSize(llvm::StringRef directory, uint64_t bytes, const std::string &limitText) {
  uint64_t limit = readLimit(limitText);
  if (limit != 0 && mayHaveOutgrown(directory, bytes, limit))
    pruneCache(directory, limit);
}

#include "compiler/Cache.h"
#include "base/FileStem.h"
#include "base/Json.h"

#include "compiler/CacheSize.h"
#include "compiler/PrivateFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <mutex>
#include <set>

using namespace triton;
using namespace triton::compiler;
namespace fs = llvm::sys::fs;

using PathString = llvm::SmallString<256>;

std::string compiler::cacheFolderName(const std::string &hexHash) {
  static constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string name;
  unsigned bits = 0, bitCount = 0;
  for (unsigned char byte : llvm::fromHex(hexHash)) {
    bits = bits << 8 | byte;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5)
      name += alphabet[bits >> (bitCount - 5) & 31];
  }
  if (bitCount)
    name += alphabet[bits << (5 - bitCount) & 31];
  return name;
}

static PathString joinPath(const llvm::Twine &a, const llvm::Twine &b, const llvm::Twine &c = "") {
  PathString path;
  llvm::sys::path::append(path, a, b, c);
  return path;
}

static std::string checksum(llvm::StringRef bytes) {
  return llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true, /*Width=*/16);
}

static constexpr char withoutCache[] = "kernels are compiled anew in each process";

/// Whether this process has not warned of this before.
static bool isNew(const llvm::Twine &topic) {
  static std::mutex mutex;
  static auto &seen = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return seen.insert(topic.str()).second;
}

static void warnOnce(llvm::StringRef directory, std::error_code error) {
  if (isNew("writes " + directory))
    llvm::errs() << "warning: cannot write to the kernel cache `" << directory << "`: " << error.message() << "; "
                 << withoutCache << '\n';
}

/// The folder's real path. None when it does not exist, or when another user can change it. In the second case it warns
/// once for each directory and variable, and says `consequence`.
static std::optional<std::string> resolvedOrWarn(llvm::Expected<std::string> resolved, const std::string &directory,
                                                 llvm::StringRef variable, llvm::StringRef consequence) {
  if (resolved)
    return std::move(*resolved);
  llvm::handleAllErrors(
      resolved.takeError(),
      [&](const ForeignFolderError &error) {
        if (isNew(variable + "=" + directory))
          llvm::errs() << "warning: " << consequence << ": " << error.reason << ". " << error.remedy
                       << (error.remedy.empty() ? "Let " : ", or let ") << variable << " name a folder of your own\n";
      },
      [](const llvm::ErrorInfoBase &) {});
  return std::nullopt;
}

static std::optional<std::string> resolvedCache(llvm::Expected<std::string> resolved, const std::string &directory) {
  return resolvedOrWarn(std::move(resolved), directory, "TRITON_CACHE_DIR",
                        "the kernel cache `" + directory + "` is not used, so that " + withoutCache);
}

std::optional<CacheEntry> compiler::readCacheEntry(const std::string &directory, const std::string &hexHash,
                                                   const std::string &name) {
  std::optional<std::string> root = resolvedCache(resolvePrivateFolder(directory), directory);
  if (!root)
    return std::nullopt;
  std::string folder(joinPath(*root, cacheFolderName(hexHash)));
  std::string stem = base::fileStem(name);
  std::optional<CacheEntry> entry = readCacheFolder(folder, stem);
  if (entry)
    markCacheFolderUsed(folder, "__grp__" + stem + ".json");
  return entry;
}

std::optional<CacheEntry> compiler::readCacheFolder(const std::string &folder, const std::string &stem) {
  std::optional<std::string> group = readPrivateFile(folder, "__grp__" + stem + ".json");
  if (!group)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> parsed = base::parseJson(*group);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *fields = parsed->getAsObject();
  const llvm::json::Object *checksums = fields ? fields->getObject("checksums") : nullptr;
  if (!checksums)
    return std::nullopt;
  CacheEntry entry;
  for (const auto &[fileName, expected] : *checksums) {
    llvm::StringRef file = fileName;
    if (!file.consume_front(stem + ".") || file.contains('/'))
      return std::nullopt;
    std::optional<std::string> bytes = readPrivateFile(folder, fileName);
    if (!bytes || expected.getAsString() != llvm::StringRef(checksum(*bytes)))
      return std::nullopt;
    entry.emplace(file.str(), std::move(*bytes));
  }
  if (!entry.count("json"))
    return std::nullopt;
  return entry;
}

static std::mutex sharedCacheMutex;
static std::shared_ptr<SharedCache> currentSharedCache;

void compiler::setSharedCache(std::shared_ptr<SharedCache> cache) {
  std::lock_guard lock(sharedCacheMutex);
  currentSharedCache = std::move(cache);
}

std::shared_ptr<SharedCache> compiler::sharedCache() {
  std::lock_guard lock(sharedCacheMutex);
  return currentSharedCache;
}

/// Writes the entry's files into `temporary`, and the group file, which makes the entry visible. `names` gets their
/// names in the order in which they may appear. `folder` is where they will be moved.
static std::error_code writeFiles(const PathString &temporary, const PathString &folder, const std::string &stem,
                                  const CacheEntry &entry, std::vector<std::string> &names) {
  llvm::json::Object paths, checksums;
  for (const auto &[extension, bytes] : entry) {
    std::string fileName = (stem + "." + llvm::Twine(extension)).str();
    paths[fileName] = std::string(joinPath(folder, fileName));
    checksums[fileName] = checksum(bytes);
    names.push_back(fileName);
    if (std::error_code error = writeRegularFile(std::string(joinPath(temporary, fileName)), bytes))
      return error;
  }
  std::string group;
  llvm::raw_string_ostream(group) << llvm::json::Value(
      llvm::json::Object{{"child_paths", std::move(paths)}, {"checksums", std::move(checksums)}});
  names.push_back("__grp__" + stem + ".json");
  return writeRegularFile(std::string(joinPath(temporary, names.back())), group);
}

/// Moves the content of `temporary` to `folder`: in one step if that folder does not exist yet, otherwise file by file.
static std::error_code publish(const PathString &temporary, const PathString &folder,
                               const std::vector<std::string> &names) {
  if (!fs::rename(temporary, folder))
    return {};
  for (const std::string &name : names)
    if (std::error_code error = fs::rename(joinPath(temporary, name), joinPath(folder, name)))
      return error;
  return {};
}

void compiler::writeCacheEntry(const std::string &directory, const std::string &hexHash, const std::string &name,
                               const CacheEntry &entry, const std::string &sizeLimit) {
  // On some file systems, replacing existing files waits for the disk.
  if (readCacheEntry(directory, hexHash, name) == entry)
    return;
  llvm::Expected<std::string> made = makePrivateFolder(directory);
  if (!made && !made.errorIsA<ForeignFolderError>())
    return warnOnce(directory, llvm::errorToErrorCode(made.takeError()));
  std::optional<std::string> root = resolvedCache(std::move(made), directory);
  if (!root)
    return;
  PathString folder = joinPath(*root, cacheFolderName(hexHash));
  PathString temporary = joinPath(*root, "tmp.pid_" + std::to_string(llvm::sys::Process::getProcessId()) + "_" +
                                             llvm::utohexstr(uint64_t(llvm::sys::Process::GetRandomNumber()) << 32 |
                                                             llvm::sys::Process::GetRandomNumber()));
  std::error_code error = fs::create_directories(temporary, /*IgnoreExisting=*/false, fs::owner_all);
  if (error)
    return warnOnce(directory, error);
  std::vector<std::string> names;
  error = writeFiles(temporary, folder, base::fileStem(name), entry, names);
  if (!error)
    error = publish(temporary, folder, names);
  fs::remove_directories(temporary);
  if (error)
    return warnOnce(directory, error);
  uint64_t size = 0;
  for (const auto &[extension, bytes] : entry)
    size += bytes.size();
  limitCacheSize(*root, size, sizeLimit);
}

void compiler::writeFolderFile(const std::string &directory, const std::string &folder, const std::string &fileName,
                               const std::string &bytes) {
  PathString path = joinPath(directory, folder);
  std::error_code error = fs::create_directories(path, /*IgnoreExisting=*/true, fs::owner_all);
  if (!error)
    error = writeRegularFile(std::string(joinPath(path, fileName)), bytes);
  if (error)
    llvm::errs() << "warning: cannot write `" << joinPath(path, fileName) << "`: " << error.message() << '\n';
}

std::optional<std::string> compiler::readFolderFile(const std::string &directory, const std::string &folder,
                                                    const std::string &fileName) {
  std::optional<std::string> root = resolvedOrWarn(resolvePrivateFolder(directory), directory, "TRITON_OVERRIDE_DIR",
                                                   "no file of `" + directory + "` replaces what a stage made");
  return root ? readPrivateFile(std::string(joinPath(*root, folder)), fileName) : std::nullopt;
}

// The cache directory: one folder for each compiled kernel, as docs/options.md shows it. Whatever happens to it
// (another process, a full disk, a damaged or foreign file) costs at most a compilation.
#pragma once

#include "base/Environment.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace triton::compiler {

/// The folder of a key: unpadded base32 of the hash, as Triton names it.
std::string cacheFolderName(const std::string &hexHash);

/// The files of one kernel: <name>.<extension> → bytes. "json" is the metadata.
using CacheEntry = std::map<std::string, std::string>;

/// Reads a kernel. None when it is absent, incomplete, or when a file is not what was written.
std::optional<CacheEntry> readCacheEntry(const std::string &directory, const std::string &hexHash,
                                         const std::string &name);

/// The same for a folder given by its path and a kernel given by the stem of its files.
std::optional<CacheEntry> readCacheFolder(const std::string &folder, const std::string &stem);

/// Writes a kernel, so that a reader sees all of it or nothing. A failure is a warning, at most one for each directory.
/// `sizeLimit` is what TRITON_CACHE_SIZE_LIMIT
/// may be.
void writeCacheEntry(const std::string &directory, const std::string &hexHash, const std::string &name,
                     const CacheEntry &entry, const std::string &sizeLimit = base::Environment::read().cacheSizeLimit);

/// A cache behind the one on disk, for example one that machines share. What it returns is also kept on disk.
class SharedCache {
public:
  virtual ~SharedCache() = default;
  virtual std::optional<CacheEntry> read(const std::string &hexHash, const std::string &name) = 0;
  virtual void write(const std::string &hexHash, const std::string &name, const CacheEntry &entry) = 0;
};

/// Sets the shared cache of this process; null: none.
void setSharedCache(std::shared_ptr<SharedCache> cache);
std::shared_ptr<SharedCache> sharedCache();

/// Writes one file of a folder (dumps). A failure is a warning.
void writeFolderFile(const std::string &directory, const std::string &folder, const std::string &fileName,
                     const std::string &bytes);

/// Reads one file of a folder (overrides).
std::optional<std::string> readFolderFile(const std::string &directory, const std::string &folder,
                                          const std::string &fileName);

} // namespace triton::compiler

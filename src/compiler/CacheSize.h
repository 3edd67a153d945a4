// The size of the cache directory: what it contains, and a limit that the most recently used folders stay within. Any
// number of processes may write, read and prune at the same time.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace triton::compiler {

/// A folder of the cache: the files of one key.
struct CacheFolder {
  std::string path;
  std::vector<std::string> names; ///< of the kernels in it; empty for other files, such as results of tuning
  uint64_t size = 0;              ///< bytes of its files
  std::chrono::system_clock::time_point lastUse;
};

/// The folders of the cache at `directory`, most recently used first.
std::vector<CacheFolder> listCacheFolders(llvm::StringRef directory);

/// The sum of their sizes.
uint64_t totalSize(const std::vector<CacheFolder> &folders);

/// The meaning of `TRITON_CACHE_SIZE_LIMIT` in bytes; 0 for no limit. None for a text that is not a size.
std::optional<uint64_t> parseCacheSize(llvm::StringRef text);

struct PruneResult {
  uint64_t removedFolders = 0, removedBytes = 0;
  uint64_t size = 0; ///< afterwards
};

/// Removes the least recently used folders until at most `limit` bytes are left, and what writers that ended early have
/// left behind. None while another process prunes.
std::optional<PruneResult> pruneCache(llvm::StringRef directory, uint64_t limit);

/// Records that a kernel was read: the folder that contains its file counts as used now.
void markCacheFolderUsed(llvm::StringRef folder, llvm::StringRef fileName);

/// Called after `bytes` were written below `directory`: prunes it when it may have outgrown the limit, which is the
/// text of TRITON_CACHE_SIZE_LIMIT. The whole cache is not measured at each write. A process measures it after its
/// first write, unless that was done some minutes ago, and each time it has itself written a part of the limit.
void limitCacheSize(llvm::StringRef directory, uint64_t bytes, const std::string &limitText);

} // namespace triton::compiler

// The cache directory: one folder a compiled kernel, as docs/options.md shows it. Whatever happens to it (another
// process, a full disk, a damaged or foreign file) costs a compilation at most.
#pragma once

#include <map>
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

/// Writes a kernel, so that a reader sees all of it or nothing. A failure is a warning, once a process.
void writeCacheEntry(const std::string &directory, const std::string &hexHash, const std::string &name,
                     const CacheEntry &entry);

/// Writes one file of a folder (dumps). A failure is a warning.
void writeFolderFile(const std::string &directory, const std::string &folder, const std::string &fileName,
                     const std::string &bytes);

/// Reads one file of a folder (overrides).
std::optional<std::string> readFolderFile(const std::string &directory, const std::string &folder,
                                          const std::string &fileName);

} // namespace triton::compiler

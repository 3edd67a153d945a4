#include "compiler/PrivateFolder.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace triton;
using namespace triton::compiler;
namespace path = llvm::sys::path;

static std::error_code lastError() { return {errno, std::generic_category()}; }

static bool isOurs(const struct stat &status) { return status.st_uid == geteuid() || status.st_uid == 0; }

/// Whether the group or all users may write; named users of an access control list count as the group.
static bool isWritableByOthers(const struct stat &status) { return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

/// Checks one folder of a path; `isLast` says that it is the folder itself.
static llvm::Error checkFolder(const std::string &folder, bool isLast) {
  struct stat status;
  if (lstat(folder.c_str(), &status) != 0)
    return llvm::errorCodeToError(lastError());
  if (!S_ISDIR(status.st_mode))
    return llvm::errorCodeToError(std::make_error_code(std::errc::not_a_directory));
  if (!isOurs(status))
    return llvm::make_error<ForeignFolderError>(
        llvm::formatv("`{0}` belongs to another user (number {1})", folder, status.st_uid).str(), "");
  bool isSticky = (status.st_mode & S_ISVTX) != 0;
  if (isWritableByOthers(status) && (isLast || !isSticky))
    return llvm::make_error<ForeignFolderError>("other users can write to `" + folder + "`",
                                                "Run `chmod go-w " + folder + "`");
  return llvm::Error::success();
}

llvm::Expected<std::string> compiler::resolvePrivateFolder(llvm::StringRef directory) {
  // Links are resolved before the check, so that the folder that is checked is the one that is used.
  llvm::SmallString<256> real;
  if (std::error_code error = llvm::sys::fs::real_path(directory, real))
    return llvm::errorCodeToError(error);
  llvm::SmallString<256> folder;
  for (auto part = path::begin(real), end = path::end(real); part != end;) {
    path::append(folder, *part);
    bool isLast = ++part == end;
    if (llvm::Error error = checkFolder(std::string(folder), isLast))
      return std::move(error);
  }
  return std::string(real);
}

/// The folder itself, or the nearest one above it that exists.
static std::string nearestExisting(llvm::StringRef directory) {
  llvm::SmallString<256> existing(directory);
  llvm::sys::fs::make_absolute(existing);
  while (!llvm::sys::fs::exists(existing) && path::has_parent_path(existing))
    path::remove_filename(existing);
  return std::string(existing);
}

llvm::Expected<std::string> compiler::makePrivateFolder(llvm::StringRef directory) {
  llvm::Expected<std::string> resolved = resolvePrivateFolder(directory);
  if (resolved || resolved.errorIsA<ForeignFolderError>())
    return resolved;
  llvm::consumeError(resolved.takeError());
  // A folder that will not be used stays empty. A sticky folder such as /tmp keeps apart what belongs to its users.
  std::string parent = nearestExisting(directory);
  llvm::Expected<std::string> resolvedParent = resolvePrivateFolder(parent);
  struct stat status;
  bool isSticky = stat(parent.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0;
  if (!resolvedParent && !isSticky)
    return resolvedParent;
  if (!resolvedParent)
    llvm::consumeError(resolvedParent.takeError());
  if (std::error_code error =
          llvm::sys::fs::create_directories(directory, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return llvm::errorCodeToError(error);
  return resolvePrivateFolder(directory);
}

static std::optional<std::string> readAll(int descriptor, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, read, descriptor, bytes.data() + done, size - done);
    if (count < 0)
      return std::nullopt;
    if (count == 0)
      break;
    done += std::size_t(count);
  }
  bytes.resize(done);
  return bytes;
}

std::optional<std::string> compiler::readPrivateFile(const std::string &folder, llvm::StringRef fileName) {
  int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0)
    return std::nullopt;
  llvm::scope_exit closeDirectory([&] { close(directory); });
  struct stat status;
  if (fstat(directory, &status) != 0 || !isOurs(status) || isWritableByOthers(status))
    return std::nullopt;
  // Does not block: opening a pipe would wait for a writer.
  int file = openat(directory, fileName.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  llvm::scope_exit closeFile([&] { close(file); });
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !isOurs(status) || isWritableByOthers(status))
    return std::nullopt;
  return readAll(file, std::size_t(status.st_size));
}

static std::error_code writeAll(int descriptor, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, write, descriptor, bytes.data(), bytes.size());
    if (count < 0)
      return lastError();
    bytes = bytes.drop_front(std::size_t(count));
  }
  return {};
}

std::error_code compiler::writeRegularFile(const std::string &path, llvm::StringRef bytes) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  if (file < 0)
    return lastError();
  struct stat status;
  std::error_code error;
  bool isKnown = fstat(file, &status) == 0;
  if (isKnown && !S_ISREG(status.st_mode))
    error = std::make_error_code(std::errc::operation_not_permitted);
  else if (!isKnown || ftruncate(file, 0) != 0)
    error = lastError();
  else
    error = writeAll(file, bytes);
  if (close(file) != 0 && !error)
    error = lastError();
  return error;
}

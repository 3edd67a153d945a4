#include "base/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <set>

using namespace triton;
namespace fs = llvm::sys::fs;

/// Of what is read from a device or a pipe, whose size is not known before its end.
static constexpr std::size_t mostBytes = std::size_t(64) << 20;

llvm::ErrorOr<std::string> base::readWholeFile(const std::string &path) {
  llvm::Expected<fs::file_t> file = fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  llvm::scope_exit close([&] { fs::closeFile(*file); });
  fs::file_status status;
  if (std::error_code error = fs::status(*file, status))
    return error;
  if (status.type() == fs::file_type::directory_file)
    return std::make_error_code(std::errc::is_a_directory);
  bool isRegular = status.type() == fs::file_type::regular_file;
  llvm::SmallString<4096> contents;
  llvm::SmallString<0> part;
  part.resize_for_overwrite(std::size_t(1) << 16);
  for (;;) {
    llvm::Expected<std::size_t> count = fs::readNativeFile(*file, part);
    if (!count)
      return llvm::errorToErrorCode(count.takeError());
    if (*count == 0)
      return contents.str().str();
    contents += part.str().take_front(*count);
    if (!isRegular && contents.size() > mostBytes)
      return std::make_error_code(std::errc::file_too_large);
  }
}

static constexpr llvm::StringLiteral partSuffix = ".part";
static constexpr std::chrono::minutes abandonedAfter{10};

std::string base::partialName(const std::string &path) {
  return path + "." + std::to_string(llvm::sys::Process::getProcessId()) + partSuffix.str();
}

/// Whether an entry of a folder is a part of one of the files, whose writer has ended.
static bool isAbandoned(const fs::directory_entry &entry, const std::set<std::string> &names) {
  llvm::StringRef name = llvm::sys::path::filename(entry.path());
  int process;
  if (!name.consume_back(partSuffix))
    return false;
  auto [file, number] = name.rsplit('.');
  if (number.getAsInteger(10, process) || process <= 0 || !names.count(file.str()))
    return false;
  fs::file_status status;
  if (fs::status(entry.path(), status, /*follow=*/false) || status.type() != fs::file_type::regular_file)
    return false;
  return std::chrono::system_clock::now() - status.getLastModificationTime() > abandonedAfter &&
         kill(process, 0) != 0 && errno == ESRCH;
}

void base::removeAbandonedParts(const std::vector<std::string> &paths) {
  llvm::StringMap<std::set<std::string>> folders;
  for (const std::string &path : paths)
    folders[llvm::sys::path::parent_path(path)].insert(llvm::sys::path::filename(path).str());
  for (const auto &[folder, names] : folders) {
    std::vector<std::string> abandoned;
    std::error_code error;
    for (fs::directory_iterator each(folder.empty() ? "." : folder, error), end; !error && each != end;
         each.increment(error))
      if (isAbandoned(*each, names))
        abandoned.push_back(each->path());
    for (const std::string &path : abandoned)
      fs::remove(path);
  }
}

std::error_code base::writeWholeFile(const std::string &path, llvm::StringRef contents) {
  if (fs::is_directory(path))
    return std::make_error_code(std::errc::is_a_directory);
  // Devices, pipes and links, such as /dev/stdout, stay what they are.
  bool isReplaced = !fs::exists(path) || (fs::is_regular_file(path) && !fs::is_symlink_file(path));
  std::string written = path;
  if (isReplaced) {
    removeAbandonedParts({path});
    written = partialName(path);
  }
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(written, error);
    if (error)
      return error;
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error(); // or the program would end
  }
  if (!error && isReplaced)
    error = fs::rename(written, path);
  if (error && isReplaced)
    fs::remove(written);
  return error;
}

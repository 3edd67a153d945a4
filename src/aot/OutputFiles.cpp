#include "aot/OutputFiles.h"

#include "aot/Errors.h"
#include "base/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::aot;
namespace fs = llvm::sys::fs;

namespace {

/// A text under a temporary name beside its file, or already where it belongs.
struct PendingFile {
  std::string path, temporary;
};

/// A device, a pipe or a link, such as /dev/stdout, which a file must not replace.
bool isDevice(const std::string &path) {
  fs::file_status status;
  return fs::is_symlink_file(path) || (!fs::status(path, status) && fs::exists(status) && fs::is_other(status));
}

[[noreturn]] void fail(const std::string &path, std::error_code error) {
  throw FileError("cannot write `" + path + "`: " + error.message());
}

PendingFile writeTemporary(const GeneratedFile &file) {
  if (fs::is_directory(file.name))
    fail(file.name, std::make_error_code(std::errc::is_a_directory));
  PendingFile pending{file.name, file.name};
  if (!isDevice(file.name))
    pending.temporary = base::partialName(file.name);
  llvm::StringRef folder = llvm::sys::path::parent_path(file.name);
  if (std::error_code error =
          folder.empty() ? std::error_code()
                         : fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all)) // but for the umask
    throw FileError("cannot make `" + folder.str() + "`: " + error.message());
  int descriptor = -1;
  if (std::error_code error = fs::openFileForWrite(pending.temporary, descriptor))
    fail(file.name, error);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << file.text;
  stream.close();
  if (std::error_code error = stream.error()) {
    stream.clear_error();
    if (pending.temporary != pending.path)
      fs::remove(pending.temporary);
    fail(file.name, error);
  }
  return pending;
}

} // namespace

void aot::writeFiles(const std::vector<GeneratedFile> &files) {
  std::vector<PendingFile> pending;
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const GeneratedFile &file : files)
    names.push_back(file.name);
  base::removeAbandonedParts(names);
  try {
    for (const GeneratedFile &file : files)
      if (PendingFile written = writeTemporary(file); written.temporary != written.path)
        pending.push_back(std::move(written));
    for (const PendingFile &file : pending)
      if (std::error_code error = fs::rename(file.temporary, file.path))
        fail(file.path, error);
  } catch (const Error &) {
    for (const PendingFile &file : pending)
      if (fs::remove(file.temporary, /*IgnoreNonExisting=*/false)) // it has its name already
        fs::remove(file.path);
    throw;
  }
}

std::string aot::withSuffix(const std::string &path, const std::string &suffix) {
  llvm::SmallString<128> result(path);
  llvm::sys::path::replace_extension(result, "");
  return std::string(result) + suffix;
}

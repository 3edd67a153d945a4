// Folders whose content no other user can change, and regular files in them. Object code is loaded from the cache into
// this process, so that anyone who can write there can run code as the user of this process.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <system_error>

namespace triton::compiler {

/// A folder that another user can change.
class ForeignFolderError : public llvm::ErrorInfo<ForeignFolderError> {
public:
  static inline char ID = 0;
  ForeignFolderError(std::string reason, std::string remedy) : reason(std::move(reason)), remedy(std::move(remedy)) {}
  void log(llvm::raw_ostream &stream) const override { stream << reason << (remedy.empty() ? "" : ". ") << remedy; }
  std::error_code convertToErrorCode() const override { return std::make_error_code(std::errc::permission_denied); }

  std::string reason; ///< names the folder at fault, which may be a parent
  std::string remedy; ///< what the user may do about that folder; may be empty
};

/// The real path of a folder that only this user and root can change: it and all its parents belong to one of them, its
/// group and others cannot write it, and they can write a parent only if it is sticky, as /tmp is. Otherwise
/// ForeignFolderError, or the error of the system when the folder does not exist.
llvm::Expected<std::string> resolvePrivateFolder(llvm::StringRef directory);

/// The same, but a missing folder is first made, with its parents, for this user alone.
llvm::Expected<std::string> makePrivateFolder(llvm::StringRef directory);

/// The content of a regular file that belongs to this user or root and that no other user can write. None for all other
/// files: links, pipes and devices are not even opened for reading, because that may block.
std::optional<std::string> readPrivateFile(const std::string &folder, llvm::StringRef fileName);

/// Writes a regular file, which only this user can read and write if it is new. It is an error if a link, pipe or
/// device has that name.
std::error_code writeRegularFile(const std::string &path, llvm::StringRef bytes);

} // namespace triton::compiler

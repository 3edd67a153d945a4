// Folders whose content no other user can change, and regular files in them. Object code is loaded from the cache into
// this process, so that whoever can write there runs code in the name of this process's user.
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
  std::string remedy; ///< what the user may do about that folder; empty: nothing
};

/// The real path of a folder that only this user and root can change: it and all its parents belong to one of them, it
/// is not writable by its group or others, and a parent only if it is sticky, as /tmp is. Otherwise ForeignFolderError,
/// or the error of the system when there is no such folder.
llvm::Expected<std::string> resolvePrivateFolder(llvm::StringRef directory);

/// The same; a folder that is missing is made first, with its parents, for this user alone.
llvm::Expected<std::string> makePrivateFolder(llvm::StringRef directory);

/// The content of a regular file of this user or root that no other user can write. None for everything else: links,
/// pipes and devices are not even opened for reading, since that may wait for ever.
std::optional<std::string> readPrivateFile(const std::string &folder, llvm::StringRef fileName);

/// Writes a regular file, readable and writable for this user alone when it is new. An existing link, pipe or device is
/// an error.
std::error_code writeRegularFile(const std::string &path, llvm::StringRef bytes);

} // namespace triton::compiler

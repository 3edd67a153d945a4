// Libraries of vendors that are loaded when they are first needed.
#pragma once

#include <string>
#include <vector>

namespace triton::base {

struct SharedLibrary {
  void *handle = nullptr; ///< null: none of the paths could be loaded
  std::string path;       ///< of the one that was
  std::string reasons;    ///< why those before it, or all, could not be loaded
};

/// Loads the first of these that can be loaded, and never unloads it.
SharedLibrary openFirst(const std::vector<std::string> &paths);

/// The path that an environment variable gives: of the library itself, or of the folder with this file.
std::string libraryIn(std::string path, const char *file);

} // namespace triton::base

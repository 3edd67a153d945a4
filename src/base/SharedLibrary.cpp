#include "base/SharedLibrary.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace triton::base {

SharedLibrary openFirst(const std::vector<std::string> &paths) {
  SharedLibrary library;
  for (const std::string &path : paths) {
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
      library.path = path;
      break;
    }
    const char *reason = dlerror();
    library.reasons += (library.reasons.empty() ? "" : "; ") + std::string(reason ? reason : path.c_str());
  }
  return library;
}

std::string libraryIn(std::string path, const char *file) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return path + "/" + file;
  return path;
}

} // namespace triton::base

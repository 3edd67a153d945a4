#include "profiler/RoctracerLibrary.h"

#include "base/Environment.h"
#include "base/SharedLibrary.h"

#include <dlfcn.h>
#include <stdexcept>
#include <vector>

namespace triton::profiling::roctracer {

static constexpr const char *fileName = "libroctracer64.so.4";

void Library::check(int code, const char *action) const {
  if (code != 0)
    throw std::runtime_error(std::string(action) + ": " + roctracer_error_string() + " (roctracer, " +
                             std::to_string(code) + ", from `" + path + "`)");
}

/// The paths to try, in order. The name alone finds the library that the process has loaded, too.
static std::vector<std::string> candidates() {
  const base::Environment environment = base::Environment::read();
  const std::string &given = environment.roctracerPath, &root = environment.rocmPath;
  if (given.empty())
    return {fileName, (root.empty() ? "/opt/rocm" : root) + "/lib/" + fileName};
  return {base::libraryIn(given, fileName)};
}

static Library load() {
  base::SharedLibrary library = base::openFirst(candidates());
  if (!library.handle)
    throw std::runtime_error("cannot load roctracer, by which the profiler sees kernels on AMD GPUs: " +
                             library.reasons + "; install ROCm's roctracer, or set TRITON_ROCTRACER_LIB_PATH");
  Library found;
  found.path = library.path;
  auto find = [&](const char *name) {
    if (void *function = dlsym(library.handle, name))
      return function;
    throw std::runtime_error("the library `" + found.path + "` is not a roctracer that can be used: it lacks `" + name +
                             "`");
  };
#define TRITON_FIND(name, ...) found.name = reinterpret_cast<int (*)(__VA_ARGS__)>(find(#name));
  TRITON_ROCTRACER_FUNCTIONS(TRITON_FIND)
#undef TRITON_FIND
  found.roctracer_error_string = reinterpret_cast<const char *(*)()>(find("roctracer_error_string"));
  return found;
}

const Library &library() {
  static const Library &found = *new Library(load()); // never freed, because its threads may still call
  return found;
}

} // namespace triton::profiling::roctracer

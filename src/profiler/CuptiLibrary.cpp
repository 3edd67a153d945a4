#include "profiler/CuptiLibrary.h"

#include "base/Environment.h"
#include "base/SharedLibrary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace triton::profiling::cupti {

static constexpr const char *fileNames[] = {"libcupti.so.13", "libcupti.so.12"};

static std::mutex mutex;
static std::vector<std::string> &addedFolders() {
  static auto &folders = *new std::vector<std::string>;
  return folders;
}

void addFolder(const std::string &path) {
  std::lock_guard lock(mutex);
  addedFolders().push_back(path);
}

void Library::check(int code, const char *action) const {
  if (code == 0)
    return;
  const char *text = nullptr;
  cuptiGetResultString(code, &text);
  std::string message = std::string(action) + ": " + (text ? text : "an unknown error") + " (CUPTI, " +
                        std::to_string(code) + ", from `" + path + "`)";
  constexpr int insufficientPrivileges = 35, severalSubscribers = 39;
  if (code == severalSubscribers)
    message += "; another profiler uses CUPTI in this process";
  if (code == insufficientPrivileges)
    message += "; the driver lets only administrators profile";
  throw std::runtime_error(message);
}

void *Library::find(const char *name) const {
  if (void *function = dlsym(handle, name))
    return function;
  throw std::runtime_error("the library `" + path + "` is not a CUPTI that can be used: it lacks `" + name + "`");
}

/// Folders of toolkits.
static std::vector<std::string> folders(const base::Environment &environment) {
  std::vector<std::string> roots;
  if (!environment.cudaHome.empty())
    roots.push_back(environment.cudaHome);
  roots.emplace_back("/usr/local/cuda");
  std::error_code error;
  std::vector<std::string> versions;
  for (llvm::sys::fs::directory_iterator it("/usr/local", error), end; !error && it != end; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with("cuda-"))
      versions.push_back(it->path());
  std::sort(versions.begin(), versions.end(), std::greater<>());
  roots.insert(roots.end(), versions.begin(), versions.end());
  std::vector<std::string> result;
  {
    std::lock_guard lock(mutex);
    result = addedFolders();
  }
  for (const std::string &root : roots)
    for (const char *part : {"/extras/CUPTI/lib64", "/lib64", "/lib"})
      result.push_back(root + part);
  return result;
}

/// The paths to try, in order.
static std::vector<std::string> candidates(const base::Environment &environment) {
  const std::string &given = environment.cuptiPath;
  if (!given.empty() && !llvm::sys::fs::is_directory(given))
    return {given};
  std::vector<std::string> paths;
  for (const std::string &folder : given.empty() ? folders(environment) : std::vector{given})
    for (const char *name : fileNames)
      if (std::string path = folder + "/" + name; llvm::sys::fs::exists(path))
        paths.push_back(path);
  if (given.empty())
    paths.insert(paths.end(), std::begin(fileNames), std::end(fileNames));
  return paths;
}

/// The library that another part of the process uses, such as PyTorch: a process must not have two.
static void *findLoaded(std::string &path) {
  for (const char *name : fileNames)
    if (void *loaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
      path = name;
      return loaded;
    }
  return nullptr;
}

static Library load() {
  base::Environment environment = base::Environment::read();
  base::SharedLibrary library;
  if (environment.cuptiPath.empty())
    library.handle = findLoaded(library.path);
  if (!library.handle)
    library = base::openFirst(candidates(environment));
  if (!library.handle)
    throw std::runtime_error(
        "cannot load CUPTI, by which the profiler sees kernels on NVIDIA GPUs: " +
        (library.reasons.empty() ? "there is none in `" + environment.cuptiPath + "`" : library.reasons) +
        "; install the CUDA toolkit or `pip install nvidia-cuda-cupti`, or set TRITON_CUPTI_LIB_PATH");
  Library found;
  found.handle = library.handle;
  found.path = library.path;
#define TRITON_FIND(name, ...) found.name = reinterpret_cast<int (*)(__VA_ARGS__)>(found.find(#name));
  TRITON_CUPTI_FUNCTIONS(TRITON_FIND)
#undef TRITON_FIND
  return found;
}

const Library &library() {
  static const Library &found = *new Library(load()); // never freed, because its threads may still call
  return found;
}

} // namespace triton::profiling::cupti

// Folders of the cache and files in them, under the same rules as the compiler's own.
#include "Bindings.h"

#include "base/Environment.h"
#include "base/FileStem.h"
#include "base/Files.h"
#include "compiler/Bundles.h"
#include "compiler/Cache.h"
#include "compiler/Compiler.h"
#include "compiler/PrivateFolder.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

/// The folder's real path; PermissionError for one that another user can change, OSError for one that cannot be made.
static std::string makePrivateFolder(const std::string &directory) {
  llvm::Expected<std::string> made = compiler::makePrivateFolder(directory);
  if (made)
    return *made;
  bool isForeign = made.errorIsA<compiler::ForeignFolderError>();
  std::string text = llvm::toString(made.takeError());
  PyErr_Format(isForeign ? PyExc_PermissionError : PyExc_OSError, "cannot use the folder `%s`: %s", directory.c_str(),
               text.c_str());
  throw nb::python_error();
}

/// The file's bytes, or None.
static nb::object readPrivateFile(const std::string &directory, const std::string &name) {
  llvm::Expected<std::string> folder = compiler::resolvePrivateFolder(directory);
  if (!folder) {
    llvm::consumeError(folder.takeError());
    return nb::none();
  }
  std::optional<std::string> bytes = compiler::readPrivateFile(*folder, name);
  return bytes ? nb::object(nb::bytes(bytes->data(), bytes->size())) : nb::none();
}

/// Writes the file, or raises OSError and leaves what was there before.
static void writeWholeFile(const std::string &path, const nb::bytes &data) {
  std::error_code error = base::writeWholeFile(path, llvm::StringRef(data.c_str(), data.size()));
  if (!error)
    return;
  errno = error.value();
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
  throw nb::python_error();
}

static compiler::CacheEntry entryOf(const nb::dict &files) {
  compiler::CacheEntry entry;
  for (auto [extension, bytes] : files) {
    nb::bytes text = nb::cast<nb::bytes>(bytes);
    entry.emplace(nb::cast<std::string>(extension), std::string(text.c_str(), text.size()));
  }
  return entry;
}

static nb::dict filesOf(const compiler::CacheEntry &entry) {
  nb::dict files;
  for (const auto &[extension, bytes] : entry)
    files[extension.c_str()] = nb::bytes(bytes.data(), bytes.size());
  return files;
}

namespace {
/// A cache whose functions are written in Python: `read(hash, stem)` returns a dict from extensions to bytes, or None,
/// and `write(hash, stem, files)` takes such a dict. Neither raises.
class PythonCache : public compiler::SharedCache {
public:
  PythonCache(nb::object read, nb::object write) : readFunction(std::move(read)), writeFunction(std::move(write)) {}
  ~PythonCache() override {
    // The last cache ends with the process, after Python has ended.
    if (!Py_IsInitialized()) {
      readFunction.release();
      writeFunction.release();
      return;
    }
    nb::gil_scoped_acquire gil;
    readFunction.reset();
    writeFunction.reset();
  }

  std::optional<compiler::CacheEntry> read(const std::string &hash, const std::string &name) override {
    nb::gil_scoped_acquire gil;
    nb::object files = readFunction(hash, base::fileStem(name));
    return files.is_none() ? std::nullopt : std::optional(entryOf(nb::cast<nb::dict>(files)));
  }
  void write(const std::string &hash, const std::string &name, const compiler::CacheEntry &entry) override {
    nb::gil_scoped_acquire gil;
    writeFunction(hash, base::fileStem(name), filesOf(entry));
  }

private:
  nb::object readFunction, writeFunction;
};
} // namespace

static void setSharedCache(nb::object read, nb::object write) {
  std::shared_ptr<compiler::SharedCache> cache;
  if (!read.is_none())
    cache = std::make_shared<PythonCache>(std::move(read), std::move(write));
  nb::gil_scoped_release released; // the destructor of the previous cache takes the GIL
  compiler::setSharedCache(std::move(cache));
}

/// `files` maps extensions to bytes.
static void writeCacheEntry(const std::string &directory, const std::string &hash, const std::string &name,
                            const nb::dict &files) {
  compiler::CacheEntry entry = entryOf(files);
  nb::gil_scoped_release released;
  compiler::writeCacheEntry(directory, hash, name, entry);
}

/// `files` are those of an entry of the cache.
static nb::dict loadingForms(const std::string &hash, const nb::dict &files) {
  compiler::CacheEntry entry = entryOf(files);
  auto metadata = entry.extract("json");
  return metadata ? filesOf(compiler::loadingForms(hash, metadata.mapped(), std::move(entry))) : nb::dict();
}

/// Runs `body`; BundleError becomes ValueError.
template <typename Body> static auto translated(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const compiler::BundleError &error) {
    throw nb::value_error(error.what());
  }
}

static std::shared_ptr<const compiler::Bundle> openBundle(const std::string &path, const nb::bytes &key) {
  return translated([&] { return compiler::Bundle::open(path, std::string(key.c_str(), key.size())); });
}

static nb::object itemOf(const compiler::Bundle &bundle, const std::string &name) {
  std::optional<std::string> bytes = translated([&] { return bundle.item(name); });
  return bytes ? nb::object(nb::bytes(bytes->data(), bytes->size())) : nb::none();
}

static void registerBundles(nb::module_ &module) {
  nb::class_<compiler::Bundle>(module, "Bundle", "A file of kernels that is open.")
      .def("item", &itemOf, nb::arg("name"), "The bytes of that name, or None. ValueError if they are damaged.")
      .def("item_names",
           [](const compiler::Bundle &bundle, const std::string &prefix) { return bundle.itemNames(prefix); });
  module.def("open_bundle", &openBundle, nb::arg("path"), nb::arg("key"), "ValueError with a sentence if it is none.");
  module.def("add_bundle", [](const std::shared_ptr<const compiler::Bundle> &bundle, const std::string &build) {
    compiler::addBundle(bundle, build);
  });
  module.def("has_bundles", &compiler::hasBundles);
  module.def("loading_forms", &loadingForms, nb::arg("hash"), nb::arg("files"),
             "What a bundle has of a kernel besides the files of its entry in the cache.");
}

/// The variables of the environment that decide what is compiled, as far as they are set.
static nb::dict decidingVariables() {
  nb::dict result;
  const std::string key = base::Environment::read().cacheKey();
  for (llvm::StringRef line : llvm::split(llvm::StringRef(key).rtrim('\n'), '\n')) {
    auto [name, value] = line.split('=');
    if (!name.empty())
      result[nb::str(name.data(), name.size())] = nb::str(value.data(), value.size());
  }
  return result;
}

/// The variable's text, or None: what `os.environ` has, in a tenth of the time.
static nb::object variableOf(const char *name) {
  const char *text = std::getenv(name);
  return text ? nb::steal(PyUnicode_DecodeFSDefault(text)) : nb::none();
}

void registerFolders(nb::module_ &module) {
  module.def_submodule("libtriton").def("get_cache_invalidating_env_vars", &decidingVariables);
  registerBundles(module);
  module.def("variable", &variableOf, nb::arg("name"), "The text of a variable of the environment, or None.");
  module.def("home_directory", [] { return base::Environment::read().homeDirectory(); });
  module.def("make_private_folder", &makePrivateFolder);
  module.def("read_private_file", &readPrivateFile);
  module.def("write_whole_file", &writeWholeFile, nb::arg("path"), nb::arg("data"));
  module.def("set_shared_cache", &setSharedCache, nb::arg("read").none(), nb::arg("write").none());
  module.def("write_cache_entry", &writeCacheEntry, nb::arg("directory"), nb::arg("hash"), nb::arg("name"),
             nb::arg("files"), "Stores a kernel that another process compiled.");
}

} // namespace triton::python

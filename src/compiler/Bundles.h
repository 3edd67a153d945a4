// Bundles that this process has loaded (include/triton/bundle.h): their kernels need no compilation and no disk cache.
#pragma once

#include "compiler/Cache.h"
#include "compiler/CacheKey.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct triton_bundle;

namespace triton::compiler {

/// What is wrong with a file, in a sentence.
class BundleError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A file that is open. It is mapped into memory, and each part is checked when it is read.
class Bundle {
public:
  /// With a key, the bundle must be signed by it. Throws BundleError.
  static std::shared_ptr<const Bundle> open(const std::string &path, const std::string &key);

  /// The bytes of that name; none if there are none. Throws BundleError for those that are not what was written.
  std::optional<std::string> item(const std::string &name) const;
  /// The names of all items that begin so, in their order.
  std::vector<std::string> itemNames(llvm::StringRef prefix) const;
  /// The files of a kernel. Throws as `item` does.
  std::optional<CacheEntry> kernel(const std::string &hexHash, const std::string &name) const;
  /// What items are called that belong to the kernels' cache entries: this, the entry's folder, "/" and a file's name.
  static constexpr char kernelsPrefix[] = "kernels/";

private:
  struct Closing {
    void operator()(triton_bundle *bundle) const;
  };
  Bundle(std::string path, triton_bundle *opened) : path(std::move(path)), opened(opened) {}
  std::optional<std::string> read(std::size_t index) const;
  llvm::StringRef nameOf(std::size_t index) const;

  std::string path;
  std::unique_ptr<triton_bundle, Closing> opened;
  bool isSigned = false; ///< and the digests are compared, because the signature is right
};

/// Lets compilations of this process find the bundle's kernels, before those of the bundles that were added earlier. It
/// stays until the process ends. `build` is the identity of the build that has made the kernels.
void addBundle(std::shared_ptr<const Bundle> bundle, std::string build);
/// Whether there is one.
bool hasBundles();
struct BundledKernel {
  std::string hash; ///< by the build that has made it
  CacheEntry entry;
};
/// A kernel of the bundles. What is damaged costs a warning, once for each text, and is as if it were not there.
std::optional<BundledKernel> readBundledKernel(const CacheKey &key, const std::string &name);

} // namespace triton::compiler

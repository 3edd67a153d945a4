#include "compiler/Bundles.h"

#include "base/FileStem.h"
#include "base/Hmac.h"
#include "compiler/BuildIdentity.h"

#define TRITON_BUNDLE_IMPLEMENTATION
#include "triton/bundle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <set>

using namespace triton;
using namespace triton::compiler;

void Bundle::Closing::operator()(triton_bundle *bundle) const { triton_bundle_close(bundle); }

/// Throws BundleError unless the key has signed the tables, which have the digests of all else.
static void checkSignature(const std::string &path, const triton_bundle &bundle, llvm::StringRef key) {
  llvm::ArrayRef<unsigned char> found(bundle.header.signature);
  if (llvm::all_of(found, [](unsigned char byte) { return byte == 0; }))
    throw BundleError("the bundle `" + path + "` is not signed; build it with `--key`, or load it without a key");
  std::size_t size = 0;
  const unsigned char *summed = triton_bundle_summed(&bundle, &size);
  auto expected = base::hmacSha256(llvm::toStringRef(llvm::ArrayRef(summed, size)), key);
  unsigned char difference = 0; // no earlier end says where the first one is
  for (auto [left, right] : llvm::zip_equal(found, expected))
    difference |= left ^ right;
  if (difference != 0)
    throw BundleError("the bundle `" + path + "` is not signed by this key, or has changed since; get it anew");
}

std::shared_ptr<const Bundle> Bundle::open(const std::string &path, const std::string &key) {
  triton_bundle *opened = nullptr;
  triton_bundle_error error{};
  if (triton_bundle_open_file(path.c_str(), &opened, &error) != TRITON_BUNDLE_OK) {
    std::string text = error.text;
    throw BundleError(text.find(path) != std::string::npos ? text : "`" + path + "`: " + text);
  }
  std::shared_ptr<Bundle> bundle(new Bundle(path, opened));
  if (!key.empty()) {
    checkSignature(path, *opened, key);
    bundle->isSigned = true;
  }
  return bundle;
}

llvm::StringRef Bundle::nameOf(std::size_t index) const { return opened->texts + opened->items[index].name; }

/// None behind the last one.
std::optional<std::string> Bundle::read(std::size_t index) const {
  triton_bundle_item_view item{};
  triton_bundle_error error{};
  int code = triton_bundle_item(opened.get(), index, &item, &error);
  if (code == TRITON_BUNDLE_NO_ITEM)
    return std::nullopt;
  if (code != TRITON_BUNDLE_OK)
    throw BundleError("`" + path + "`: " + error.text);
  std::string bytes(static_cast<const char *>(item.bytes), item.size); // The file behind a mapping may change.
  if (isSigned && llvm::ArrayRef(llvm::SHA256::hash(llvm::arrayRefFromStringRef(llvm::StringRef(bytes)))) !=
                      llvm::ArrayRef(item.digest, TRITON_BUNDLE_DIGEST_BYTES))
    throw BundleError("the bundle `" + path + "` is not what was signed: `" + item.name + "` has changed; get it anew");
  return bytes;
}

std::optional<std::string> Bundle::item(const std::string &name) const {
  std::size_t index = triton_bundle_find_item(opened.get(), name.c_str());
  if (index == opened->header.item_count || nameOf(index) != name)
    return std::nullopt;
  return read(index);
}

std::vector<std::string> Bundle::itemNames(llvm::StringRef prefix) const {
  std::vector<std::string> names;
  for (std::size_t index = triton_bundle_find_item(opened.get(), prefix.str().c_str());
       index < opened->header.item_count && nameOf(index).starts_with(prefix); ++index)
    names.push_back(nameOf(index).str());
  return names;
}

std::optional<CacheEntry> Bundle::kernel(const std::string &hexHash, const std::string &name) const {
  CacheEntry entry;
  std::string prefix = kernelsPrefix + cacheFolderName(hexHash) + "/" + base::fileStem(name) + ".";
  for (std::size_t index = triton_bundle_find_item(opened.get(), prefix.c_str());
       index < opened->header.item_count && nameOf(index).starts_with(prefix); ++index)
    entry.emplace(nameOf(index).drop_front(prefix.size()).str(), *read(index));
  return entry.count("json") ? std::optional(std::move(entry)) : std::nullopt;
}

// ---- Those of the process ----

namespace {
struct Loaded {
  std::mutex mutex;
  std::vector<std::pair<std::shared_ptr<const Bundle>, std::string>> bundles; ///< with the builds, the last one first
  std::set<std::string> warnings;
  std::atomic<bool> any = false;
};
} // namespace

static Loaded &loaded() {
  static auto &instance = *new Loaded;
  return instance;
}

void compiler::addBundle(std::shared_ptr<const Bundle> bundle, std::string build) {
  std::lock_guard lock(loaded().mutex);
  loaded().bundles.insert(loaded().bundles.begin(), {std::move(bundle), std::move(build)});
  loaded().any = true;
}

bool compiler::hasBundles() { return loaded().any; }

std::optional<BundledKernel> compiler::readBundledKernel(const CacheKey &key, const std::string &name) {
  if (!hasBundles())
    return std::nullopt;
  std::lock_guard lock(loaded().mutex);
  for (const auto &[bundle, build] : loaded().bundles) {
    std::string hash = build == buildIdentity() ? key.hash : key.hashOfBuild(build);
    try {
      if (std::optional<CacheEntry> entry = bundle->kernel(hash, name))
        return BundledKernel{std::move(hash), std::move(*entry)};
    } catch (const BundleError &error) {
      if (loaded().warnings.insert(error.what()).second)
        llvm::errs() << "warning: " << error.what() << "; the kernel `" << name << "` is not taken from it\n";
    }
  }
  return std::nullopt;
}

#include "base/LoadedCode.h"

#include <map>
#include <mutex>

namespace triton::base {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<const LoadedCode *, std::string_view> codes;
};

} // namespace

/// Never destroyed, because kernels of other static objects end after it would.
static Registry &registry() {
  static Registry &instance = *new Registry;
  return instance;
}

LoadedCode::LoadedCode(std::string_view code) {
  std::lock_guard lock(registry().mutex);
  registry().codes[this] = code;
}

LoadedCode::~LoadedCode() {
  std::lock_guard lock(registry().mutex);
  registry().codes.erase(this);
}

void visitLoadedCode(llvm::function_ref<void(std::string_view)> visitor) {
  std::lock_guard lock(registry().mutex);
  for (const auto &[owner, code] : registry().codes)
    visitor(code);
}

} // namespace triton::base

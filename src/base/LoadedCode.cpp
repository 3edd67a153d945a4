#include "base/LoadedCode.h"

#include "base/ForkSafeMutex.h"

#include <map>

namespace triton::base {

namespace {

ForkSafeMutex registryMutex;

struct Registry {
  std::map<const LoadedCode *, std::string_view> codes;
};

} // namespace

/// Never destroyed, because kernels of other static objects end after it would.
static Registry &registry() {
  static Registry &instance = *new Registry;
  return instance;
}

LoadedCode::LoadedCode(std::string_view code) {
  std::lock_guard lock(registryMutex);
  registry().codes[this] = code;
}

LoadedCode::~LoadedCode() {
  std::lock_guard lock(registryMutex);
  registry().codes.erase(this);
}

void visitLoadedCode(llvm::function_ref<void(std::string_view)> visitor) {
  std::lock_guard lock(registryMutex);
  for (const auto &[owner, code] : registry().codes)
    visitor(code);
}

} // namespace triton::base

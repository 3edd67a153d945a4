#include "base/LoadedCode.h"

#include "base/ForkSafeMutex.h"

#include <map>

namespace triton::base {

static ForkSafeMutex registryMutex;

/// Never destroyed, because kernels of other static objects end after it would.
static std::map<const LoadedCode *, std::string_view> &registry() {
  static auto &codes = *new std::map<const LoadedCode *, std::string_view>;
  return codes;
}

LoadedCode::LoadedCode(std::string_view code) {
  std::lock_guard lock(registryMutex);
  registry()[this] = code;
}

LoadedCode::~LoadedCode() {
  std::lock_guard lock(registryMutex);
  registry().erase(this);
}

void visitLoadedCode(llvm::function_ref<void(std::string_view)> visitor) {
  std::lock_guard lock(registryMutex);
  for (const auto &[owner, code] : registry())
    visitor(code);
}

} // namespace triton::base

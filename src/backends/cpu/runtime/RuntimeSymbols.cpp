#include "backends/cpu/runtime/RuntimeSymbols.h"

#include "base/ForkSafeMutex.h"

#include <map>
#include <string>

namespace triton::cpu {

static base::ForkSafeMutex symbolsMutex;

static std::map<std::string, void *, std::less<>> &runtimeSymbols() {
  static std::map<std::string, void *, std::less<>> addresses;
  return addresses;
}

void registerRuntimeSymbol(std::string_view name, void *address) {
  std::lock_guard lock(symbolsMutex);
  runtimeSymbols().insert_or_assign(std::string(name), address);
}

void *findRuntimeSymbol(std::string_view name) {
  std::lock_guard lock(symbolsMutex);
  auto found = runtimeSymbols().find(name);
  return found == runtimeSymbols().end() ? nullptr : found->second;
}

} // namespace triton::cpu

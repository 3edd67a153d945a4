#include "backends/cpu/emitters/ReservedSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Host.h"

namespace triton::cpu {

bool reservesSymbol(llvm::StringRef name) {
  constexpr llvm::StringLiteral prefixes[] = {"__", "llvm.", "_ZGV", "triton_cpu_", "triton_outer_products_"};
  auto isPrefix = [&](llvm::StringRef prefix) { return name.starts_with(prefix); };
  if (name == "main" || llvm::any_of(prefixes, isPrefix))
    return true;
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple(llvm::sys::getDefaultTargetTriple())};
  llvm::LibFunc function;
  return library.getLibFunc(name, function);
}

} // namespace triton::cpu

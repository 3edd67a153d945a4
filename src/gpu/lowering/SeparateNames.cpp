// Names of a module's functions, apart from those of functions outside of it.
#include "base/PassRunner.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/target/ReservedSymbols.h"
#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace triton::gpu {

/// A name of which nothing in the module and outside of it is.
static std::string findFreeName(llvm::StringRef name, const SymbolTable &symbols, const llvm::StringSet<> &called) {
  std::string free = "function_" + name.str();
  while (symbols.lookup(free) || called.contains(free) || reservesSymbol(free))
    free += "_";
  return free;
}

LogicalResult separateNames(ModuleOp module, const TargetInfo &target) {
  llvm::StringSet<> called;
  module.walk([&](tt::ExternElementwiseOp op) { called.insert(op.getSymbol()); });
  SymbolTable symbols(module);
  for (auto function : llvm::make_early_inc_range(module.getOps<tt::FuncOp>())) {
    llvm::StringRef name = function.getName();
    if (!reservesSymbol(name) && !called.contains(name))
      continue;
    if (!function.isPrivate())
      return function.emitError() << base::unsupportedPrefix << target.machine().family << ": a kernel with the name `"
                                  << name << "`, which is that of a function or variable outside of it; give the "
                                  << "kernel another name";
    if (failed(symbols.rename(function, findFreeName(name, symbols, called))))
      return function.emitError() << "calls of `" << name << "` are not known";
  }
  return success();
}

} // namespace triton::gpu

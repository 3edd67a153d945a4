// Names of a module's functions, apart from those of functions outside of it.
#include "base/PassRunner.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/target/ReservedSymbols.h"
#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace triton::gpu {

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
    if (failed(symbols.rename(function, "function_" + name.str())) && failed(symbols.renameToUnique(function, {})))
      return function.emitError() << "the name `" << name << "` is that of a function outside of the module";
  }
  return success();
}

} // namespace triton::gpu

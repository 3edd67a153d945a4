#include "gpu/target/ReservedSymbols.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::gpu {

bool reservesSymbol(llvm::StringRef name) {
  constexpr llvm::StringLiteral names[] = {"global_smem", "vprintf", "malloc", "free", "WARP_SZ", "_"};
  return name.starts_with("__") || name.starts_with("llvm.") || llvm::is_contained(names, name);
}

} // namespace triton::gpu

// The linker lets all calls of malloc come here (--wrap=malloc). MLIR makes each operation in memory of malloc, and
// writes there without asking whether it got any.
#include "llvm/Support/ErrorHandling.h"

#include <cstddef>

extern "C" void *__real_malloc(std::size_t bytes);
extern "C" void *__wrap_malloc(std::size_t bytes);

void *__wrap_malloc(std::size_t bytes) {
  void *memory = __real_malloc(bytes);
  if (!memory && bytes)
    llvm::report_bad_alloc_error("malloc has no more memory");
  return memory;
}

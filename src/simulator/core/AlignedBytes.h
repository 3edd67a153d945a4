// Memory at addresses of which an alignment is known.
#pragma once

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace triton::simulator {

struct FreeAligned {
  void operator()(std::byte *pointer) const { std::free(pointer); }
};
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

/// At least one byte more than `size`, so that no two are at one address.
inline AlignedBytes allocateAligned(std::size_t size, std::size_t alignment) {
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(alignment, llvm::alignTo(size + 1, alignment)));
  if (!bytes)
    llvm::report_bad_alloc_error("no memory for a simulated launch");
  return AlignedBytes(bytes);
}

} // namespace triton::simulator

// The stage ttgir: from tiles to tiles whose elements are distributed over the threads of a GPU.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace triton::ttg {

struct TtgirOptions {
  /// Backend and compute capability, as in "cuda:90".
  std::string target = "cuda:90";
  unsigned numWarps = 4;
  /// All warps run, also where fewer would do.
  bool keepsWarps = false;
  unsigned threadsPerWarp = 32;
  unsigned numCtas = 1;
  /// Iterations whose loads are under way at once, that of the running one included.
  unsigned numStages = 3;
  /// Bytes of shared memory that a program may use, from the backend's table of architectures.
  uint64_t sharedCapacity = 232448;
};

/// Adds the passes of the stage, in order.
void buildTtgirPipeline(mlir::OpPassManager &pm, const TtgirOptions &options = {});

} // namespace triton::ttg

// The stage ttgir: from tiles to tiles whose elements are distributed over the threads of a GPU.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace triton::ttg {

struct TtgirOptions {
  /// The machine, as in "family:architecture"; how many lanes its warps have follows from it.
  std::string target;
  unsigned numWarps = 4;
  /// All warps run, also where fewer would do.
  bool keepsWarps = false;
  unsigned numCtas = 1;
  /// Iterations whose loads are under way at once, that of the running one included.
  unsigned numStages = 3;
  /// No product is one of groups of warps that read buffers.
  bool disablesWarpGroupDots = false;
  /// Remarks say what programs move and compute.
  bool reportsWork = false;
  /// The rules of the stage are checked after each pass.
  bool verifiesEachPass = false;
};

/// What the passes of the stage, and the lowering after it, need of a context beside the dialects: how much scratch
/// operations take.
void registerTtgirModels(mlir::DialectRegistry &registry);

/// Adds the passes of the stage, in order.
void buildTtgirPipeline(mlir::OpPassManager &pm, const TtgirOptions &options);

} // namespace triton::ttg

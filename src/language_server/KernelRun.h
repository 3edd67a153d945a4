// One lowering of a kernel for one guess of its arguments.
#pragma once

#include "base/Target.h"
#include "frontend/KernelArgument.h"
#include "frontend/lowering/LowerKernel.h"
#include "language_server/Document.h"
#include "settings/Settings.h"

#include "mlir/IR/MLIRContext.h"

#include <atomic>
#include <chrono>

namespace triton::language_server {

/// What completion needs to know of a value.
enum class ValueKind : uint8_t { Tensor, Descriptor, BlockPointer, Composite, Dtype, Constant, Other };

/// What a name denotes at one place of a text.
struct Fact {
  SourceRange range;
  std::string type; ///< "fp32[64]", "(int32, int32)", "64"
  ValueKind kind = ValueKind::Other;
  std::vector<std::string> fields; ///< of a named tuple or an aggregate
};

struct KernelRun {
  std::vector<Diagnostic> diagnostics; ///< each once
  /// By source, in the order of first occurrence; several for a place that is lowered with several types.
  std::map<const Source *, std::vector<Fact>> facts;
  /// Constructs that were not lowered because an error before them left a name without a value.
  std::vector<std::pair<const Source *, SourceRange>> leftOut;
  size_t places = 0;      ///< how many expressions and names were reached
  bool isComplete = true; ///< false when the time was over

  bool leftOutAt(const Source *source, SourceRange range) const;
};

/// What kernels are compiled for.
struct Machine {
  base::Target target{"cuda", "90", 32};
  bool isGuess = true; ///< nobody said it
  int numWarps = 4;
  int numStages = base::Options().numStages;
};

/// What holds for every run of a search. A run must end when another thread says so, or the time is over.
struct RunOptions {
  Machine machine = {};
  const std::atomic<bool> *isCancelled = nullptr;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  bool mustEnd() const;
};

/// What the kernel's settings say of it, and otherwise a guess.
Machine machineOf(const settings::KernelSettings &settings);
/// "cuda:90", "cpu".
std::string nameOf(const base::Target &target);

/// How kernels are lowered here: in silence. `isCancelled` may be null.
frontend::LoweringOptions loweringOptions(const Machine &machine, frontend::LoweringObserver &observer,
                                          const std::atomic<bool> *isCancelled);

/// Lowers the kernel. Facts are recorded only if `recordsFacts`.
KernelRun runKernel(mlir::MLIRContext &context, const frontend::Function &function,
                    const std::vector<frontend::KernelArgument> &arguments, const RunOptions &options,
                    bool recordsFacts);

} // namespace triton::language_server

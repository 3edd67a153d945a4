#include "backends/amd/AmdOptions.h"

#include "backends/ExtraOptions.h"
#include "backends/gpu/GpuStages.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::amd {

using backends::readExtra;

static llvm::Error checkCounts(const Architecture &architecture, const base::Options &options) {
  int mostWarps = int(1024 / architecture.lanes); // A workgroup has at most 1024 threads.
  if (options.numWarps < 1 || options.numWarps > mostWarps || !llvm::isPowerOf2_32(unsigned(options.numWarps)))
    return llvm::createStringError("the option `num_warps` is " + std::to_string(options.numWarps) +
                                   "; it must be a power of two from 1 to " + std::to_string(mostWarps) + " on " +
                                   architecture.processor);
  if (options.numCtas != 1)
    return llvm::createStringError("the option `num_ctas` is " + std::to_string(options.numCtas) +
                                   "; this target has no clusters of workgroups, so it must be 1");
  return backends::checkStages(options);
}

/// "wgp" or "cu".
static llvm::Error readUnitMode(const base::Options &options, bool &isolates) {
  std::string mode = "wgp";
  constexpr llvm::StringLiteral rule = "`wgp` or `cu`";
  if (llvm::Error error = readExtra(options, "wgp_cu_mode", rule, mode))
    return error;
  if (mode != "wgp" && mode != "cu")
    return llvm::createStringError("the option `wgp_cu_mode` is `" + mode + "`; it must be " + rule.str());
  isolates = mode == "cu";
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<AmdOptions>> readOptions(const base::Target &target, const base::Options &options) {
  llvm::Expected<Architecture> architecture = parseArchitecture(target.arch);
  if (!architecture)
    return architecture.takeError();
  if (llvm::Error error = checkCounts(*architecture, options))
    return error;
  auto read = std::make_unique<AmdOptions>();
  AmdgcnOptions &code = read->code;
  code.architecture = *architecture;
  code.fuseMultiplyAdd = options.enableFpFusion;
  bool isCooperative = false;
  constexpr llvm::StringLiteral isBoolean = "True or False";
  llvm::Error error = readExtra(options, "allow_flush_denorm", isBoolean, code.flushDenormals);
  auto also = [&](llvm::Error next) { error = llvm::joinErrors(std::move(error), std::move(next)); };
  also(readExtra(options, backends::cooperativeOption, isBoolean, isCooperative));
  also(readExtra(options, "waves_per_eu", "a number of waves from 0 to 16", code.wavesOfScheduler));
  also(readExtra(options, "matrix_instr_nonkdim", "0, 16 or 32", read->matrixExtent));
  also(readExtra(options, "llvm_fn_attrs", "text", code.functionAttributes));
  std::string hint;
  also(readExtra(options, "schedule_hint", "text", hint));
  also(readUnitMode(options, code.isolatesComputeUnits));
  if (error)
    return error;
  if (llvm::Error failed = parseOptions(hint, read->hint))
    return failed;
  if (code.wavesOfScheduler > 16)
    return llvm::createStringError("the option `waves_per_eu` is " + std::to_string(code.wavesOfScheduler) +
                                   "; it must be a number of waves from 0 to 16");
  if (read->matrixExtent != 0 && read->matrixExtent != 16 && read->matrixExtent != 32)
    return llvm::createStringError("the option `matrix_instr_nonkdim` is " + std::to_string(read->matrixExtent) +
                                   "; it must be 0, 16 or 32");
  if (isCooperative && backends::isSimulated(target))
    return llvm::createStringError(
        std::string("the option `") + backends::cooperativeOption +
        "` is true; the simulator does not run all programs of a launch at the same time, so it must be false");
  return read;
}

} // namespace triton::amd

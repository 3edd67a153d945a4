#include "backends/nvidia/NvidiaOptions.h"

#include "backends/ExtraOptions.h"
#include "backends/gpu/GpuStages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace triton::nvidia {
namespace {

void appendFlags(llvm::StringRef text, std::vector<std::string> &flags) {
  for (llvm::StringRef flag : llvm::split(text, ' '))
    if (!flag.empty())
      flags.push_back(flag.str());
}

llvm::Error checkCounts(const base::Target &target, const Architecture &architecture, const base::Options &options) {
  if (options.numWarps < 1 || options.numWarps > 32 || !llvm::isPowerOf2_32(unsigned(options.numWarps)))
    return llvm::createStringError("the option `num_warps` is " + std::to_string(options.numWarps) +
                                   "; it must be a power of two from 1 to 32");
  if (options.numCtas < 1 || options.numCtas > 8 || !llvm::isPowerOf2_32(unsigned(options.numCtas)))
    return llvm::createStringError("the option `num_ctas` is " + std::to_string(options.numCtas) +
                                   "; it must be 1, 2, 4 or 8");
  if (options.numCtas != 1 && !hasClusters(unsigned(architecture.capability)))
    return llvm::createStringError("the option `num_ctas` is " + std::to_string(options.numCtas) + "; " +
                                   target.backend + ":" + target.arch + " has no clusters of blocks, so it must be 1");
  if (llvm::Error error = backends::checkStages(options))
    return error;
  for (const char *name : {backends::cooperativeOption, dependentOption}) {
    bool value;
    if (llvm::Error error = backends::readExtra(options, name, "True or False", value))
      return error;
  }
  if (backends::isSimulated(target) && backends::isSet(options, backends::cooperativeOption))
    return llvm::createStringError(
        std::string("the option `") + backends::cooperativeOption +
        "` is true; the simulator does not run all programs of a launch at the same time, so "
        "it must be false");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<NvidiaOptions>> readOptions(const base::Target &target, const base::Options &options,
                                                           const base::Environment &environment) {
  llvm::Expected<Architecture> architecture = parseArchitecture(target.arch);
  if (!architecture)
    return architecture.takeError();
  if (llvm::Error error = checkCounts(target, *architecture, options))
    return error;
  auto read = std::make_unique<NvidiaOptions>();
  NvidiaOptions &result = *read;
  result.ptx.architecture = *architecture;
  result.ptx.version = 0; // the newest; to find out which one that is, ptxas would have to run
  result.ptx.fuseMultiplyAdd = options.enableFpFusion;
  constexpr llvm::StringLiteral isBoolean = "True or False";
  if (llvm::Error error = llvm::joinErrors(
          llvm::joinErrors(
              backends::readExtra(options, "pointer_copies", isBoolean, result.pointerCopies),
              llvm::joinErrors(backends::readExtra(options, "allow_flush_denorm", isBoolean, result.ptx.flushDenormals),
                               backends::readExtra(options, "enable_reflect_ftz", isBoolean, result.ptx.reflectFlush))),
          llvm::joinErrors(
              backends::readExtra(options, "maxnreg", "the most registers of a thread, 1 to 256", result.maxRegisters),
              backends::readExtra(options, "ptx_version", "a number such as 87 for 8.7", result.ptx.version))))
    return error;
  // 256 limits nothing: programs that divide the 65536 registers of a multiprocessor by its threads arrive at it.
  if (result.maxRegisters > 256)
    return llvm::createStringError("the option `maxnreg` is " + std::to_string(result.maxRegisters) +
                                   "; a thread has at most 255 registers");
  result.maxRegisters = std::min(result.maxRegisters, 255u);
  result.assembly.architecture = *architecture;
  result.assembly.fuseMultiplyAdd = options.enableFpFusion;
  result.assembly.lineInfo = options.lineInfo;
  if (auto flags = options.extra.find("ptx_options"); flags != options.extra.end() && flags->second != "None")
    appendFlags(flags->second, result.assembly.extraFlags);
  const char *askedBy = "the option `ptx_version`";
  if (environment.mockPtxVersion) {
    result.ptx.version = environment.mockPtxVersion;
    askedBy = "TRITON_MOCK_PTX_VERSION";
  }
  if (llvm::Error error = checkPtxVersion(result.ptx, askedBy))
    return error;
  if (auto libraries = options.extra.find("extern_libs"); libraries != options.extra.end())
    for (llvm::StringRef path : llvm::split(llvm::StringRef(libraries->second), '\n')) {
      if (!llvm::sys::fs::exists(path))
        return llvm::createStringError("the option `extern_libs` names `" + path.str() +
                                       "`, which is not there; it takes files of LLVM bitcode");
      result.libraries.push_back(path.str());
    }
  result.assembly.optimize = !environment.disablePtxasOpt;
  result.assembly.printLog = environment.dumpPtxasLog;
  appendFlags(environment.ptxasOptions, result.assembly.extraFlags);
  return read;
}

} // namespace triton::nvidia

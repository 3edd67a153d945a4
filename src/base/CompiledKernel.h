// The result of a compilation.
#pragma once

#include "base/LoadedKernel.h"
#include "base/Signature.h"
#include "base/Target.h"
#include "base/TensorMapParameter.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::base {

/// What a kernel may write into its message buffer (backends/MessageBuffer.h).
struct DeviceMessage {
  std::string format;     ///< of C's printf
  bool isFailure = false; ///< of an assertion, which ends the launch, rather than something to print
};

/// What the stages found out about a kernel, for its launches and for users.
struct StageResults {
  int numWarps = 0;              ///< that a program runs on; 0: as many as the options say
  int launchWarps = 0;           ///< that a launch starts for each program, some of which only move data; 0: numWarps
  int blocks = 1;                ///< of a cluster, that run a program together; a launch has so many for each program
  int64_t sharedBytes = 0;       ///< of a block
  int64_t scratchBytes = 0;      ///< of a thread of this processor, 64-byte aligned
  std::optional<int> registers;  ///< of a GPU's thread
  std::optional<int> spillBytes; ///< that a GPU's thread stores to local memory because it lacks registers
  std::vector<std::pair<std::string, int>> resources; ///< what else a GPU's program takes, by name
  std::string llirPath;                       ///< of LLVM IR that the user wrote; empty: the compiler made the IR
  std::vector<TensorMapParameter> tensorMaps; ///< behind the runtime arguments
  /// Pairs of arguments, by their places among the kernel's, that the code takes to point into memory that does not
  /// overlap. A launch whose arrays do overlap needs another variant.
  std::vector<std::pair<unsigned, unsigned>> disjointPairs;
  std::vector<DeviceMessage> messages; ///< empty: the kernel takes no message buffer, which is its last parameter

  int startedWarps() const { return launchWarps ? launchWarps : numWarps; }
};

struct CompiledKernel {
  std::string name;
  std::string hash;
  Target target;
  Options options; ///< as they were in effect
  StageResults results;
  std::vector<RuntimeArgument> arguments;       ///< in ABI order
  std::map<std::string, std::string> artifacts; ///< "source", "ttir", "llir", "o", "cubin", ...: extension → bytes
  std::string metadata;                         ///< JSON object, of all the above but the artifacts
  std::shared_ptr<const LoadedKernel> loaded;   ///< null: this process cannot run it, or not all stages ran
  bool isFromCache = false;                     ///< read from a cache or a bundle, not compiled now
  bool isFromBundle = false;                    ///< which the process has loaded
};

} // namespace triton::base

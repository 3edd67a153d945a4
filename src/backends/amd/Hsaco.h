// Makes a code object, the file "hsaco" that AMD's driver loads, from assembly.
#pragma once

#include "backends/amd/Amdgcn.h"
#include "base/StageError.h"

#include <optional>

namespace triton::amd {

/// What a kernel takes of the machine, as the metadata of its code object say.
struct CodeObjectResources {
  int vectorRegisters = 0; ///< of a thread, accumulators included
  int accumulators = 0;
  int scalarRegisters = 0; ///< of a wave
  int vectorSpills = 0, scalarSpills = 0;
  int sharedBytes = 0;  ///< of a program, without those that the launch adds
  int scratchBytes = 0; ///< of a thread
};

struct CodeObject {
  std::string hsaco;
  CodeObjectResources resources;
};

/// Assembles and links in this process. The error is a base::ToolchainError with the messages of LLVM's assembler or
/// linker, which name lines of `assembly`.
llvm::Expected<CodeObject> makeCodeObject(llvm::StringRef assembly, const AmdgcnOptions &options);

/// The first error in what the assembler said of assembly, with its place; nothing if there is none.
std::optional<base::StageMessage> findAssemblerError(const std::string &refusal);

} // namespace triton::amd

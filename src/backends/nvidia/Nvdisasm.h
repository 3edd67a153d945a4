// NVIDIA's disassembler.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// The machine code of a cubin as text. Comments name the places of the source that the instructions come from
/// (base::linkMachineCode). The error says what is missing or wrong.
llvm::Expected<std::string> disassemble(llvm::StringRef cubin);

} // namespace triton::nvidia

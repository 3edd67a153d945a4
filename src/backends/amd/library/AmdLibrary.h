// AMD's own library of mathematical functions, `ocml.bc`, where a machine has it.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::amd {

/// The path of `ocml.bc`. The error names the places that have been searched.
llvm::Expected<std::string> findAmdLibrary();

/// Defines the constants by which the library's functions ask about their target and the precision wanted.
void defineControlConstants(llvm::Module &module);

} // namespace triton::amd

// Parameters of kernels in C.
#pragma once

#include "aot/AotBackend.h"
#include "aot/Specification.h"

#include <string>

namespace triton::aot {

/// "int32_t n", "CUdeviceptr x", "const void *x".
std::string declare(const Parameter &parameter, const AotBackend &words);

/// The declarations of the parameters, separated by commas; `linked` takes those of the linked kernel.
std::string declareAll(const Specification &specification, const AotBackend &words, bool linked);

/// How a prototype continues behind the stream: ", int32_t n", or nothing where there are no parameters.
std::string furtherParameters(const std::string &declared);

/// The header of a variant, which the linker reads.
std::string writeHeader(const Specification &specification, const AotBackend &words);

/// Functions that convert numbers to the bits of fp16 and bf16, where the kernel takes such numbers.
std::string conversionFunctions(const Specification &specification);

/// The statements that give each number the form in which a kernel takes it, and the expression, one for each runtime
/// parameter, that has this form.
struct ConvertedArguments {
  std::string statements;
  std::vector<std::string> names;
};
ConvertedArguments convertArguments(const Specification &specification);

/// The statements that compute the extents `tt_x`, `tt_y` and `tt_z`, and return where there is nothing to launch.
/// `blocks` run a program each.
std::string writeGrid(const Specification &specification, const AotBackend &words, int blocks);

/// A comment that says what a file holds.
std::string describe(const Specification &specification, const std::string &target);

/// The bytes as an initializer of C.
std::string initializerOf(llvm::StringRef bytes);

} // namespace triton::aot

// How wide the accesses of a kernel's memory may be, as its TTIR says: what of its arguments' divisibility matters to
// that. Free of MLIR so that bindings can include it.
#pragma once

#include "compiler/Compiler.h"

#include <cstdint>
#include <vector>

namespace triton::compiler {

/// For each access of a block, in the order of the code: the bytes that neighbours may be moved in, at most 16. For
/// each descriptor of a tensor, those to which its address, its rows and their strides are known to be multiples.
/// Throws CompilationError.
std::vector<int64_t> accessBytes(const CompileRequest &request);

} // namespace triton::compiler

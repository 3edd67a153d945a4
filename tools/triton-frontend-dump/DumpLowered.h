// The kernels that a file marks, lowered to TTIR. A mark is a comment of its own:
//   # lower: name(*fp32:16, i32, 1024)            types of runtime arguments (with divisibility), values of constants
//   # lower debug locations: name(...)            with the option `debug`; with locations in the output
// Constants are numbers, `True`, `False`, `None`, strings in double quotes, and global names of the file; `(..., ...)`
// is a tuple.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace triton::frontend {

/// Prints, for each mark, the function and those it calls (without the prelude's), or the diagnostics. False when there
/// were any.
bool dumpLowered(const std::string &text, const std::string &fileName, llvm::raw_ostream &stream);

} // namespace triton::frontend

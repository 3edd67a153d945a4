// Negation and absolute value of 32- and 64-bit integers in PTX, where ptxas takes them not to overflow.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::nvidia {

/// `ptx` with each `neg` and `abs` of signed integers written as the complement plus one, which wraps by definition.
///
/// Version 13.0 of ptxas, the only one tried, reasons as if the smallest integer could not occur. It gives a remainder
/// of `abs.s32` the wrong sign, widens `abs.s32` of -2^31 as if it were negative no more, and moves `neg.s32`, and
/// `sub.s32` from zero likewise, out of minima and maxima across the threads of a warp. LLVM would make negations of
/// any other form that its IR can have, so the text is rewritten.
std::string defineNegation(llvm::StringRef ptx);

} // namespace triton::nvidia

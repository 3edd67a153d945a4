// Negation and absolute value of 32- and 64-bit integers in PTX, for which ptxas assumes that they do not overflow.
#pragma once

#include "base/PassRunner.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::nvidia {

/// Rewrites each `neg` and `abs` of signed integers in `ptx` as the complement plus one, which wraps by definition.
///
/// Version 13.0 of ptxas, the only one that was tested, assumes that the smallest integer cannot occur. It gives a
/// remainder of `abs.s32` the wrong sign, widens `abs.s32` of -2^31 as if it were not negative, and moves `neg.s32`, or
/// `sub.s32` from zero, out of minima and maxima across the threads of a warp. LLVM makes negations of every other form
/// that its IR can have, so the text is rewritten.
std::string defineNegation(llvm::StringRef ptx);

/// The step of the stage ptx that does it.
inline constexpr base::StepInfo defineNegationStep("nvidia-define-negation",
                                                   "negations and absolute values wrap, in the text");

} // namespace triton::nvidia

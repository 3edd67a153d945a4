// The functions of libmvec and libm, by C name without type suffix. This is the only table of symbols.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::cpu {

struct MathFunction {
  llvm::StringLiteral name; ///< in double precision; the f32 one appends "f"
  unsigned operands;
  bool hasVectorForm; ///< in glibc 2.35 and newer, of AArch64 2.40; older versions have fewer, so the symbol is looked
                      ///< up
};

/// Null when neither library is known to have the function.
const MathFunction *findMathFunction(llvm::StringRef name);

/// "tanhf" or "tanh".
std::string scalarSymbol(const MathFunction &function, bool isDouble);
/// "_ZGVeN16v_tanhf": the vector ABI's name for `lanes` lanes; `e`, `d` and `b` stand for 512, 256 and 128 bits of
/// x86-64, `n` for the 128 bits of NEON.
std::string vectorSymbol(const MathFunction &function, bool isDouble, unsigned lanes, Architecture architecture);
/// The widest vectors that libmvec takes on the target.
unsigned vectorMathBits(const TargetDescription &target);

/// The address of a symbol of libmvec or libm in this process; null when this system lacks it.
void *findMathSymbol(const std::string &symbol);
/// Whether a program on the target has the symbol. Of the systems of another architecture nothing is known.
bool hasMathSymbol(const TargetDescription &target, const std::string &symbol);

} // namespace triton::cpu

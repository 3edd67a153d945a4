// The functions of libmvec and libm, by C name without type suffix. This is the only table of symbols.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::cpu {

struct MathFunction {
  llvm::StringLiteral name; ///< in double precision; the f32 one appends "f"
  unsigned operands;
  bool hasVectorForm; ///< in glibc 2.35 and newer; older versions have fewer, so the symbol is looked up
};

/// Null when neither library is known to have the function.
const MathFunction *findMathFunction(llvm::StringRef name);

/// "tanhf" or "tanh".
std::string scalarSymbol(const MathFunction &function, bool isDouble);
/// "_ZGVeN16v_tanhf": the vector ABI's name for `lanes` lanes; `e`, `d` and `b` stand for 512, 256 and 128 bits.
std::string vectorSymbol(const MathFunction &function, bool isDouble, unsigned lanes);

/// The address of a symbol of libmvec or libm in this process; null when this system lacks it.
void *findMathSymbol(const std::string &symbol);

} // namespace triton::cpu

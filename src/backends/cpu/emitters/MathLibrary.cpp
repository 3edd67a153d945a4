#include "backends/cpu/emitters/MathLibrary.h"

#include "llvm/ADT/STLExtras.h"

#include <dlfcn.h>

namespace triton::cpu {
namespace {

constexpr MathFunction functions[] = {
    {"acos", 1, true},  {"acosh", 1, true},   {"asin", 1, true},       {"asinh", 1, true}, {"atan", 1, true},
    {"atan2", 2, true}, {"atanh", 1, true},   {"cbrt", 1, true},       {"cos", 1, true},   {"cosh", 1, true},
    {"erf", 1, true},   {"erfc", 1, true},    {"exp", 1, true},        {"exp10", 1, true}, {"exp2", 1, true},
    {"expm1", 1, true}, {"fdim", 2, false},   {"fmod", 2, false},      {"hypot", 2, true}, {"j0", 1, false},
    {"j1", 1, false},   {"lgamma", 1, false}, {"log", 1, true},        {"log10", 1, true}, {"log1p", 1, true},
    {"log2", 1, true},  {"logb", 1, false},   {"nextafter", 2, false}, {"pow", 2, true},   {"remainder", 2, false},
    {"sin", 1, true},   {"sinh", 1, true},    {"tan", 1, true},        {"tanh", 1, true},  {"tgamma", 1, false},
    {"y0", 1, false},   {"y1", 1, false},
};

} // namespace

const MathFunction *findMathFunction(llvm::StringRef name) {
  const auto *found = llvm::find_if(functions, [&](const MathFunction &function) { return function.name == name; });
  return found == std::end(functions) ? nullptr : found;
}

std::string scalarSymbol(const MathFunction &function, bool isDouble) {
  return function.name.str() + (isDouble ? "" : "f");
}

std::string vectorSymbol(const MathFunction &function, bool isDouble, unsigned lanes, Architecture architecture) {
  unsigned bits = lanes * (isDouble ? 64 : 32);
  llvm::StringRef instructionSet = architecture == Architecture::AArch64 ? "n"
                                   : bits == 512                         ? "e"
                                   : bits == 256                         ? "d"
                                                                         : "b";
  return ("_ZGV" + instructionSet + "N" + llvm::Twine(lanes) + std::string(function.operands, 'v') + "_" +
          scalarSymbol(function, isDouble))
      .str();
}

unsigned vectorMathBits(const TargetDescription &target) { return target.isAArch64() ? 128 : target.vectorBits; }

bool hasMathSymbol(const TargetDescription &target, const std::string &symbol) {
  return target.architecture == hostArchitecture() && findMathSymbol(symbol);
}

void *findMathSymbol(const std::string &symbol) {
  // Python does not load libmvec, and an old C library may not have it.
  static void *vectorMath = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (void *address = vectorMath ? dlsym(vectorMath, symbol.c_str()) : nullptr)
    return address;
  static void *math = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return math ? dlsym(math, symbol.c_str()) : nullptr;
}

} // namespace triton::cpu

// The parameters of a kernel as its text declares them, for callers without Python.
#pragma once

#include "frontend/Object.h"
#include "runtime/Specialization.h"

#include <string>
#include <vector>

namespace triton::runtime {

struct KernelParameter {
  ParameterRule rule;
  bool hasDefault = false;
  frontend::ObjectRef defaultValue; ///< null when there is none, or when it is not a constant
};

/// Reads annotations (`tl.constexpr`, `tl.const`, types and their names), defaults and the decorator's
/// `do_not_specialize` lists.
std::vector<KernelParameter> readParameters(const frontend::Function &function);

/// "add(x, y, out, n, BLOCK: tl.constexpr)".
std::string describeSignature(const frontend::Function &function);

} // namespace triton::runtime

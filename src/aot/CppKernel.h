// What the C++ of a kernel offers: the variants that several signatures describe, under one interface.
#pragma once

#include "aot/Specification.h"

#include "base/CompiledKernel.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace triton::aot {

/// What an argument must be for a signature to serve a call.
struct CppCondition {
  enum class Kind : uint8_t { MultipleOf16, One, Null, NotNull };
  Kind kind;
  std::size_t parameter; ///< of the kernel
};

/// One signature.
struct CppSignature {
  Specification specification;
  std::size_t variant;                  ///< of CppKernel
  std::vector<CppCondition> conditions; ///< under which the signature serves a call

  /// Conditions that few arguments meet: a signature with more of them comes first.
  std::size_t hintCount() const;
};

/// Signatures with the same constants and options, among which the arguments of a call choose.
struct CppVariant {
  std::string name;                    ///< an enumerator: "BLOCK1024_warps4_stages3"
  std::string description;             ///< "BLOCK=1024, num_warps=4, num_stages=3"
  std::vector<std::size_t> signatures; ///< those with more hints first
};

struct CppKernel {
  std::string functionName, className;
  std::vector<std::string> namespaces; ///< from the outermost
  std::string kernelName;
  std::vector<Parameter> parameters; ///< of the kernel; what some signature takes at run time is Runtime here
  std::vector<CppSignature> signatures;
  std::vector<CppVariant> variants;

  /// Whether the argument of a pointer may be null in some signature.
  bool isNullable(std::size_t parameter) const;
};

/// The parts of the name of a namespace, `a::b`. Throws Error.
std::vector<std::string> readNamespace(const std::string &text);

/// Throws Error, which names the argument, when the specifications, all of one kernel, do not fit together.
CppKernel joinSignatures(std::vector<Specification> specifications, std::vector<std::string> namespaces);

/// The signatures, compiled for a target.
struct CppTarget {
  std::string name; ///< "cuda:90", "cpu:x86-64-v3"
  std::vector<std::shared_ptr<const base::CompiledKernel>> kernels;
};

/// "float *x", "std::int32_t n": an argument as callers pass it.
std::string declareCpp(const Parameter &parameter);

/// All of them, each with a comma before it.
std::string declareAllCpp(const CppKernel &kernel);

} // namespace triton::aot

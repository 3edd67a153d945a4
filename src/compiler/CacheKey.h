// Cache keys: a hash over everything that decides the machine code, computed without compiling anything.
#pragma once

#include "base/Environment.h"
#include "compiler/Compiler.h"

#include <string>

namespace triton::compiler {

struct CacheKey {
  std::string content;    ///< hash of everything but the compiler's build
  std::string hash;       ///< of everything, 64 hexadecimal digits
  std::string sourceHash; ///< of the source alone: names the folders of dumps and overrides

  /// What `hash` is where another build of the compiler has made the kernel.
  std::string hashOfBuild(const std::string &identity) const;
};

/// The source counts with the kernel's text, the text of every function that it can reach, and the values of the other
/// globals that these mention. Names are taken from the text, so that more than what is used may count, but never less.
/// `fingerprint` is the backend's.
CacheKey computeCacheKey(const CompileRequest &request, const Options &options, const std::string &fingerprint,
                         const Environment &environment);

/// The hash of a kernel's own source and of what it reaches.
std::string hashFunction(const frontend::Function &function);

/// "kernel[0].x: *fp32:16"-like lines, one for each argument.
std::string describeArguments(const std::vector<Argument> &arguments);

} // namespace triton::compiler

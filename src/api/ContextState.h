// What triton::Context stands for.
#pragma once

#include "triton/context.h"

#include "compiler/ResidentCompiler.h"

namespace triton {

struct Context::State {
  State(const compiler::ResidentLimits &limits, base::Environment environment)
      : compiler(std::make_shared<compiler::ResidentCompiler>(limits, std::move(environment))),
        cacheDirectory(compiler->environment().cacheDirectory()), tracksUse(limits.kernels != 0 || limits.bytes != 0) {}

  /// That of kernels for which the program names no context.
  static const std::shared_ptr<State> &ofProcess();

  const std::shared_ptr<compiler::ResidentCompiler> compiler;
  const std::string cacheDirectory;
  const bool tracksUse; ///< whether a limit needs to know when a kernel was last used
  std::atomic<uint64_t> launches = 0;
  std::atomic<uint64_t> hits = 0; ///< launches that found their kernel without asking the compiler
};

} // namespace triton

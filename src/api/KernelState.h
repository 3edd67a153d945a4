// What the handles of triton.h stand for.
#pragma once

#include "triton/triton.h"

#include "api/ContextState.h"
#include "frontend/ModuleLoader.h"
#include "runtime/KernelSignature.h"

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace triton {

struct Module::State {
  /// The kernel of that name, the same for each caller.
  std::shared_ptr<Kernel::State> kernel(std::string_view name);

  std::shared_ptr<frontend::LoadedModule> loaded;
  std::shared_ptr<Context::State> context;

private:
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Kernel::State>, std::less<>> kernels;
};

struct Kernel::State {
  using Claim = compiler::ResidentCompiler::Claim;

  State(std::shared_ptr<const frontend::Function> function, std::shared_ptr<Context::State> context)
      : function(std::move(function)), parameters(runtime::readParameters(*this->function)),
        context(std::move(context)) {}

  /// The kernel compiled for that key, or null.
  std::shared_ptr<compiler::ResidentKernel> find(const std::vector<uint64_t> &key, uint64_t hash);
  /// Keeps the kernel of a key, in the place of one that was dropped.
  void add(const std::vector<uint64_t> &key, uint64_t hash, Claim claim);
  /// Keeps a kernel that was compiled for a launch to come, whose key is not known.
  void keep(const compiler::ResidentKernel *kernel, Claim claim);

  std::shared_ptr<const frontend::Function> function;
  std::vector<runtime::KernelParameter> parameters;
  const std::shared_ptr<Context::State> context;

private:
  struct Variant {
    std::vector<uint64_t> key;
    Claim claim;
  };

  void forgetDropped();

  std::shared_mutex mutex;
  std::unordered_multimap<uint64_t, Variant> variants;
  std::map<const compiler::ResidentKernel *, Claim> compiledAhead;
  std::size_t sizeToLookAt = 64; ///< of both, at which those that were dropped are looked for
};

/// For tools that are built with the library.
struct KernelInternals {
  static Kernel::State &stateOf(const Kernel &kernel) { return *kernel.state; }
  static Module::State &stateOf(const Module &module) { return *module.state; }
  /// As Module::fromString. `hostNames` is asked for what kernels read and only Python knows.
  static Module moduleFromText(std::string text, const std::string &name, frontend::HostNames hostNames);
  /// As triton::constant.
  static Constant constant(std::string_view name, frontend::ObjectRef value);
};

struct CompileFuture::State {
  std::shared_ptr<Context::State> context;
  std::shared_ptr<compiler::ResidentKernel> kernel;
};

} // namespace triton

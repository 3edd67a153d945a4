// What the handles of triton.h stand for.
#pragma once

#include "triton/triton.h"

#include "compiler/Compiler.h"
#include "frontend/ModuleLoader.h"
#include "runtime/KernelSignature.h"

#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace triton {

struct Module::State {
  std::shared_ptr<frontend::LoadedModule> loaded;
};

struct Kernel::State {
  explicit State(std::shared_ptr<const frontend::Function> function)
      : function(std::move(function)), parameters(runtime::readParameters(*this->function)) {}

  /// The kernel compiled for one key.
  struct Variant {
    std::vector<uint64_t> key;
    std::shared_ptr<const base::CompiledKernel> compiled;
  };

  /// The variant with that key, or null.
  Variant *find(const std::vector<uint64_t> &key, uint64_t hash);
  /// Keeps a variant; returns the one that was there first when two threads compiled it at once.
  Variant &add(std::unique_ptr<Variant> variant, uint64_t hash);

  std::shared_ptr<const frontend::Function> function;
  std::vector<runtime::KernelParameter> parameters;

private:
  std::shared_mutex mutex;
  std::unordered_multimap<uint64_t, std::unique_ptr<Variant>> variants;
};

} // namespace triton

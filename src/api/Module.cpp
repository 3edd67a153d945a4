#include "api/Errors.h"
#include "api/KernelState.h"
#include "base/Version.h"
#include "frontend/lowering/BuiltinModules.h"

using namespace triton;
using namespace triton::api;
using frontend::LoadedModule;

Module Module::load(const std::string &path) {
  return Module(
      std::make_shared<State>(translateErrors([&] { return LoadedModule::fromFile(path, frontend::builtinModule); })));
}

Module Module::fromString(std::string text, const std::string &name) {
  return Module(std::make_shared<State>(
      translateErrors([&] { return LoadedModule::fromText(std::move(text), name, frontend::builtinModule); })));
}

Kernel Module::kernel(std::string_view name) const {
  return Kernel(std::make_shared<Kernel::State>(translateErrors([&] { return state->loaded->function(name); })));
}

const char *triton::version() { return base::version(); }

std::vector<std::string> Module::kernelNames() const { return state->loaded->functionNames(); }

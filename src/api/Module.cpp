#include "api/Errors.h"
#include "api/KernelState.h"
#include "base/Version.h"
#include "frontend/lowering/BuiltinModules.h"

using namespace triton;
using namespace triton::api;
using frontend::LoadedModule;

template <typename Load> static auto makeState(Load load, std::shared_ptr<Context::State> context) {
  auto state = std::make_shared<Module::State>();
  state->loaded = translateErrors(load);
  state->context = std::move(context);
  return state;
}

static auto loadFile(const std::string &path, std::shared_ptr<Context::State> context) {
  return makeState([&] { return LoadedModule::fromFile(path, frontend::builtinModule); }, std::move(context));
}

static auto loadText(std::string text, const std::string &name, std::shared_ptr<Context::State> context,
                     frontend::HostNames hostNames = nullptr) {
  return makeState(
      [&] { return LoadedModule::fromText(std::move(text), name, frontend::builtinModule, std::move(hostNames)); },
      std::move(context));
}

Module Module::load(const std::string &path) { return Module(loadFile(path, Context::State::ofProcess())); }

Module Module::load(const std::string &path, const Context &context) { return Module(loadFile(path, context.state)); }

Module Module::fromString(std::string text, const std::string &name) {
  return Module(loadText(std::move(text), name, Context::State::ofProcess()));
}

Module Module::fromString(std::string text, const std::string &name, const Context &context) {
  return Module(loadText(std::move(text), name, context.state));
}

Module KernelInternals::moduleFromText(std::string text, const std::string &name, frontend::HostNames hostNames) {
  return Module(loadText(std::move(text), name, Context::State::ofProcess(), std::move(hostNames)));
}

std::shared_ptr<Kernel::State> Module::State::kernel(std::string_view name) {
  std::shared_ptr<const frontend::Function> function = translateErrors([&] { return loaded->function(name); });
  std::lock_guard lock(mutex);
  std::shared_ptr<Kernel::State> &known = kernels[std::string(name)];
  if (!known)
    known = std::make_shared<Kernel::State>(std::move(function), context);
  return known;
}

Kernel Module::kernel(std::string_view name) const { return Kernel(state->kernel(name)); }

const char *triton::version() { return base::version(); }

std::vector<std::string> Module::kernelNames() const { return state->loaded->functionNames(); }

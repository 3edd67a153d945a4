#include "aot/SourceKernel.h"

#include "aot/CompileFile.h"

#include "compiler/Compiler.h"
#include "frontend/AST.h"
#include "frontend/lowering/BuiltinModules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::aot;

static std::string soleKernel(frontend::LoadedModule &module, const std::string &path) {
  std::vector<std::string> names = module.functionNames();
  if (names.size() == 1)
    return names.front();
  throw Error("`" + path + "` has " + std::to_string(names.size()) + " kernels; name one as `" + path +
              ":<kernel>`: " + llvm::join(names, " "));
}

static frontend::KernelArgument describeArgument(const Parameter &parameter, const runtime::KernelParameter &declared) {
  frontend::KernelArgument argument;
  argument.name = parameter.name;
  argument.type = parameter.type;
  argument.constant = parameter.constant;
  argument.divisibility = parameter.divisibleBy16 ? 16 : 1;
  if (parameter.passing == Parameter::Passing::Default) {
    if (!declared.defaultValue)
      throw Error("argument `" + parameter.name + "`: its default is not a constant; give a value in the signature");
    argument.constant = declared.defaultValue;
  }
  return argument;
}

SourceKernel::SourceKernel(const std::string &path, std::string name)
    : module(frontend::LoadedModule::fromFile(path, frontend::builtinModule)) {
  kernelName = name.empty() ? soleKernel(*module, path) : std::move(name);
  function = module->function(kernelName);
  declared = runtime::readParameters(*function);
}

Specification SourceKernel::specify(Request request) const {
  request.kernelName = kernelName;
  for (const runtime::KernelParameter &parameter : declared)
    request.parameters.push_back({parameter.rule.name, parameter.rule.isConstexpr, parameter.hasDefault});
  return withPlace([&] { return readSpecification(request); });
}

std::string SourceKernel::place() const {
  const frontend::Source &source = *function->source;
  return source.fileName() + ":" + std::to_string(source.location(function->definition->signatureRange).line);
}

std::shared_ptr<const base::CompiledKernel> SourceKernel::compile(const Specification &specification,
                                                                  const std::string &target) const {
  compiler::CompileRequest compilation;
  compilation.function = function;
  for (auto [parameter, given] : llvm::zip_equal(specification.parameters, declared))
    compilation.arguments.push_back(withPlace([&] { return describeArgument(parameter, given); }));
  compilation.options.numWarps = specification.numWarps;
  compilation.options.numStages = specification.numStages;
  compilation.options.numCtas = specification.numCtas;
  compilation.options.lineInfo = false; // Line tables hold the paths of this machine.
  compilation.target = readTarget(target, compilation.options.arch);
  return compiler::compile(compilation);
}

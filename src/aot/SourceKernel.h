// The kernel of a file, which signatures turn into specifications and targets into machine code.
#pragma once

#include "aot/Specification.h"

#include "base/CompiledKernel.h"
#include "frontend/ModuleLoader.h"
#include "runtime/KernelSignature.h"

#include <memory>

namespace triton::aot {

class SourceKernel {
public:
  /// Without a name, the only kernel of the file. Throws Error or DiagnosticError.
  SourceKernel(const std::string &path, std::string name);

  /// The variant that the request's signature describes; its kernel's name and parameters are filled in here. Throws
  /// Error, which names the argument at fault.
  Specification specify(Request request) const;
  /// For a target as readTarget reads it. Throws as compiler::compile does.
  std::shared_ptr<const base::CompiledKernel> compile(const Specification &specification,
                                                      const std::string &target) const;

private:
  std::shared_ptr<frontend::LoadedModule> module;
  std::string kernelName;
  std::shared_ptr<const frontend::Function> function;
  std::vector<runtime::KernelParameter> declared;
};

} // namespace triton::aot

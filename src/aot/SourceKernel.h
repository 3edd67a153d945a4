// The kernel of a file, which signatures turn into specifications and targets into machine code.
#pragma once

#include "aot/Errors.h"
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
  /// Error, which names the kernel's place and the argument at fault.
  Specification specify(Request request) const;
  /// What `body` returns. An Error of it gets the kernel's file and line in front.
  template <typename Body> auto withPlace(Body body) const -> decltype(body()) {
    try {
      return body();
    } catch (const Error &error) {
      throw Error(place() + ": " + error.what());
    }
  }
  /// For a target as readTarget reads it. Throws as compiler::compile does.
  std::shared_ptr<const base::CompiledKernel> compile(const Specification &specification,
                                                      const std::string &target) const;

private:
  std::string place() const;

  std::shared_ptr<frontend::LoadedModule> module;
  std::string kernelName;
  std::shared_ptr<const frontend::Function> function;
  std::vector<runtime::KernelParameter> declared;
};

} // namespace triton::aot

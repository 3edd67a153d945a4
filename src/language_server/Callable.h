// Signatures and documentation of what kernels can call, and the members of the compiler's own modules.
#pragma once

#include "frontend/Object.h"
#include "frontend/lowering/builtins/Builtin.h"
#include "language_server/KernelRun.h"

namespace triton::language_server {

struct Callable {
  struct Parameter {
    std::string name;      ///< without stars
    std::string text;      ///< with annotation and default
    bool isKeyword = true; ///< can be given by name
  };
  std::string name; ///< as users write it: "tl.load", ".sum"
  std::vector<Parameter> parameters;
  std::string documentation; ///< Markdown

  std::string signature() const;
};

/// None when the object is nothing that is called.
std::optional<Callable> callableOf(const frontend::Object &object);
/// The method of this name of values of a kind, without the value itself among the parameters.
std::optional<Callable> methodOf(ValueKind kind, llvm::StringRef name);

/// A name after a `.`.
struct Member {
  std::string name;
  enum class Kind : uint8_t { Function, Module, Dtype, Constant, Property } kind = Kind::Function;
};
/// The members of one of the compiler's own modules.
std::vector<Member> membersOfModule(llvm::StringRef module);
/// The methods and attributes of values of a kind.
std::vector<Member> membersOfValue(ValueKind kind);
/// What Python's own names in kernels denote: "range", "min".
std::vector<Member> pythonNames();

} // namespace triton::language_server

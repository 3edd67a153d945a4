// How a compilation fails.
#pragma once

#include <stdexcept>
#include <string>

namespace triton::base {

/// An error of the user's program: `what()` is the complete rendered diagnostic.
class CompilationError : public std::runtime_error {
public:
  enum class Kind {
    General,
    UnsupportedConstruct,
    StaticAssertion,
    Toolchain, ///< a program or file of a vendor's toolkit is missing or refused the kernel
  };
  CompilationError(Kind kind, const std::string &rendered, std::string message, unsigned line, unsigned column)
      : std::runtime_error(rendered), kind(kind), message(std::move(message)), line(line), column(column) {}
  Kind kind;
  std::string message; ///< without position and excerpt
  unsigned line, column;
};

/// Thrown by a compilation whose result nobody waits for any more.
class CompilationAbandoned : public std::runtime_error {
public:
  CompilationAbandoned() : std::runtime_error("the compilation was abandoned") {}
};

/// A defect of the compiler itself; `what()` names stage, pass and operation, and how to reproduce it.
class InternalError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace triton::base

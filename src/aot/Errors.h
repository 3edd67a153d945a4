// How ahead-of-time compilation and linking fail for reasons other than the kernel's text.
#pragma once

#include <stdexcept>

namespace triton::aot {

/// What the user asked for is wrong; `what()` names the argument, or the file and its line.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What the kernel does cannot be written in the form that was asked for.
class KernelError : public Error {
public:
  using Error::Error;
};

/// A file that cannot be read or written.
class FileError : public Error {
public:
  using Error::Error;
};

} // namespace triton::aot

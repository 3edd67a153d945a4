// Converts C++ exceptions to Python's.
#pragma once

#include "StateLock.h"

#include <exception>
#include <type_traits>

namespace triton::python {

/// Sets the Python error for a C++ exception: the package's own classes for errors of the user's program. With the GIL.
void setPythonError(std::exception_ptr exception) noexcept;
/// The same for the exception being handled; call inside a catch block.
void setPythonError() noexcept;

/// Runs the body of a function that Python calls through a C slot, which C++ exceptions must not leave: what the body
/// throws becomes a Python exception, and the slot returns null or `failed`. The body has the lock of the module's
/// state.
template <typename Body, typename Result = std::invoke_result_t<Body>>
Result translateErrors(Body body, Result failed = {}) noexcept {
  StateLock lock;
  try {
    return body();
  } catch (...) {
    setPythonError();
    return failed;
  }
}

} // namespace triton::python

// From C++ exceptions to Python's.
#pragma once

#include <exception>

namespace triton::python {

/// Sets the Python error for a C++ exception: the package's own classes for errors of the user's program. With the GIL.
void setPythonError(std::exception_ptr exception);
/// The same for the exception being handled; call inside a catch block.
void setPythonError();

} // namespace triton::python

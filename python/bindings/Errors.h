// From C++ exceptions to Python's.
#pragma once

namespace triton::python {

/// Sets the Python error for the C++ exception being handled: the package's own classes for errors of the user's
/// program. Call inside a catch block, with the GIL.
void setPythonError();

} // namespace triton::python

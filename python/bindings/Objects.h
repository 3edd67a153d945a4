// Converts between Python objects and the compiler's compile-time objects (frontend/Object.h). All functions need the
// GIL.
#pragma once

#include "PythonReference.h"

#include "frontend/Object.h"

#include <string>
#include <vector>

namespace triton::python {

/// Whether `object` is of a class that `triton.aggregate` made.
bool isAggregate(PyObject *object);

/// The methods that are functions for kernels, of a class that `triton.aggregate` made, or of an object of such a
/// class. Borrowed. Empty for other values.
std::vector<PyObject *> methodsOf(PyObject *value);

/// Whether `object` is a `tl.constexpr(...)`, and what it wraps (null with a Python exception on failure).
bool isConstexpr(PyObject *object);
Reference constexprValue(PyObject *object);

/// Whether an argument that is not a constexpr is nevertheless a constant: dtypes, kernels, the language's own
/// functions.
bool isCompileTimeOnly(PyObject *object);

/// What `object` denotes at compile time. Objects that kernels cannot use become `Unsupported`.
frontend::ObjectRef toObject(PyObject *object);

/// The same for a global or captured name, where numbers, strings and containers need `tl.constexpr` (unless
/// TRITON_ALLOW_NON_CONSTEXPR_GLOBALS is set).
frontend::ObjectRef globalToObject(PyObject *object);

/// Whether the value of a captured name must stay as it was when a kernel was compiled with it. This holds for plain
/// values, not for modules, functions and types.
bool isCapturedValue(PyObject *object);

/// Field names of a namedtuple; empty for other objects.
std::vector<std::string> fieldNames(PyObject *object);

/// The Python form of a compile-time object, for host functions and error reports. Null with an exception set.
Reference toPython(const frontend::Object &object);

} // namespace triton::python

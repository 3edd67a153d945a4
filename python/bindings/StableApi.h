// Python's C API as far as one module for all versions from 3.12 on can use it. Such a module is compiled with
// Py_LIMITED_API, which hides the members of objects. The other modules are made of the same code.
#pragma once

#include <Python.h>

#include <string>

#ifdef Py_LIMITED_API // These functions take 3 to 5 % of a launch on the processor more than the macros that they stand
                      // for.
#define PyTuple_GET_SIZE PyTuple_Size
#define PyTuple_GET_ITEM PyTuple_GetItem
#define PyTuple_SET_ITEM PyTuple_SetItem
#define PyList_GET_SIZE PyList_Size
#define PyList_GET_ITEM PyList_GetItem
#define PyFloat_AS_DOUBLE PyFloat_AsDouble
#endif

namespace triton::python {

/// The name of the object's class, as Python's own messages have it: with its module if C defines it.
std::string typeName(PyObject *object);
std::string typeName(PyTypeObject *type);
/// The class from which it derives first; null for `object`.
PyTypeObject *baseOf(PyTypeObject *type);
/// The text of a string; null and an exception if it has none.
const char *textOf(PyObject *string);
/// The hash that a string keeps, whatever a class that derives from `str` makes of it. No error.
Py_hash_t hashOfText(PyObject *string);
PyObject *callWith(PyObject *function, PyObject *argument);
/// What the class itself, not one that it derives from, has by this name. A borrowed reference, or null without an
/// exception.
PyObject *ownAttribute(PyTypeObject *type, const char *name);

bool isPythonFunction(PyObject *object);

} // namespace triton::python

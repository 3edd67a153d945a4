// What Python 3.12 has in its limited API and 3.11 has not, declared for the check that python/CMakeLists.txt
// describes. Nothing is linked.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030C0000
extern "C" {
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#define PY_VECTORCALL_ARGUMENTS_OFFSET (size_t(1) << (8 * sizeof(size_t) - 1))
using vectorcallfunc = PyObject *(*)(PyObject *, PyObject *const *, size_t, PyObject *);
Py_ssize_t PyVectorcall_NARGS(size_t count);
PyObject *PyVectorcall_Call(PyObject *callable, PyObject *tuple, PyObject *keywords);
PyObject *PyObject_Vectorcall(PyObject *callable, PyObject *const *arguments, size_t count, PyObject *names);
PyObject *PyObject_VectorcallMethod(PyObject *name, PyObject *const *arguments, size_t count, PyObject *names);
PyObject *PyErr_GetRaisedException(void);
void PyErr_SetRaisedException(PyObject *exception);
}
#endif

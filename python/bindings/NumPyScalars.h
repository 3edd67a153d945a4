// NumPy's scalars, `np.int32(3)`, are numbers like Python's own wherever a number is expected. Arrays of rank 0 are
// arrays.
#pragma once

#include "PythonReference.h"

namespace triton::python {

enum class ScalarKind : uint8_t { None, Boolean, Integer, Float };

/// Which number objects of this type are, NumPy's or a package's that extends NumPy. None for all other types, Python's
/// own numbers included. Decided once for each type.
ScalarKind scalarKindOf(PyTypeObject *type);

inline bool isNumPyScalar(PyObject *object) { return scalarKindOf(Py_TYPE(object)) != ScalarKind::None; }

/// The bool, int or float that a NumPy scalar equals; null with an exception on failure.
Reference plainNumber(PyObject *scalar);

} // namespace triton::python

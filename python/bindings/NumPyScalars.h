// NumPy's scalars, `np.int32(3)`, are numbers like Python's own wherever a number is expected. Arrays of rank 0 are
// arrays.
#pragma once

#include "PythonReference.h"

namespace triton::python {

enum class ScalarKind : uint8_t { None, Boolean, Integer, Float };

/// Which numbers the objects of this type are, if NumPy or a package that extends NumPy defines the type. None for all
/// other types, including Python's own numbers. Decided once for each type.
ScalarKind scalarKindOf(PyTypeObject *type);

inline bool isNumPyScalar(PyObject *object) { return scalarKindOf(Py_TYPE(object)) != ScalarKind::None; }

/// The bool, int or float that equals a NumPy scalar; null with an exception on failure.
Reference plainNumber(PyObject *scalar);

} // namespace triton::python

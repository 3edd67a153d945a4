#include "NumPyScalars.h"

#include <string_view>
#include <unordered_map>

namespace triton::python {

/// NumPy's own classes are recognized by their names, so that NumPy need not be imported. A package's scalar types,
/// such as bfloat16 of ml_dtypes, derive from `numpy.generic` directly.
static ScalarKind findKind(PyTypeObject *type) {
  for (PyTypeObject *base = type; base; base = baseOf(base)) {
    std::string name = typeName(base);
    if (name == "numpy.bool" || name == "numpy.bool_")
      return ScalarKind::Boolean;
    if (name == "numpy.timedelta64") // its bases make it an integer, but it is a time
      return ScalarKind::None;
    if (name == "numpy.integer")
      return ScalarKind::Integer;
    if (name == "numpy.floating")
      return ScalarKind::Float;
    bool isExtension = baseOf(base) && typeName(baseOf(base)) == "numpy.generic";
    if (isExtension && !name.starts_with("numpy.")) {
      if (PyType_GetSlot(type, Py_nb_index))
        return ScalarKind::Integer;
      return PyType_GetSlot(type, Py_nb_float) ? ScalarKind::Float : ScalarKind::None;
    }
  }
  return ScalarKind::None;
}

ScalarKind scalarKindOf(PyTypeObject *type) {
  struct Known {
    Reference type; ///< keeps the address from being reused by another type
    ScalarKind kind;
  };
  static auto &kinds = *new std::unordered_map<PyTypeObject *, Known>();
  auto found = kinds.find(type);
  if (found == kinds.end())
    found = kinds.emplace(type, Known{Reference::borrow(reinterpret_cast<PyObject *>(type)), findKind(type)}).first;
  return found->second.kind;
}

Reference plainNumber(PyObject *scalar) {
  switch (scalarKindOf(Py_TYPE(scalar))) {
  case ScalarKind::Boolean: {
    int truth = PyObject_IsTrue(scalar);
    return Reference::steal(truth < 0 ? nullptr : PyBool_FromLong(truth));
  }
  case ScalarKind::Integer:
    return Reference::steal(PyNumber_Index(scalar));
  case ScalarKind::Float:
    return Reference::steal(PyNumber_Float(scalar));
  case ScalarKind::None:
    break;
  }
  PyErr_Format(PyExc_TypeError, "a `%s` is not a NumPy scalar", typeName(scalar).c_str());
  return Reference();
}

} // namespace triton::python

#include "StableApi.h"
#include "MadeOnce.h"
#include "PythonReference.h"

namespace triton::python {

std::string typeName(PyObject *object) { return typeName(Py_TYPE(object)); }

std::string typeName(PyTypeObject *type) {
  auto *object = reinterpret_cast<PyObject *>(type);
  auto attribute = [&](const char *name) {
    Reference value = Reference::steal(PyObject_GetAttrString(object, name));
    const char *text = value && PyUnicode_Check(value.get()) ? textOf(value.get()) : nullptr;
    PyErr_Clear();
    return std::string(text ? text : "?");
  };
  std::string name = attribute("__name__");
  if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
    return name;
  std::string module = attribute("__module__");
  return module == "builtins" ? name : module + "." + name;
}

PyTypeObject *baseOf(PyTypeObject *type) { return static_cast<PyTypeObject *>(PyType_GetSlot(type, Py_tp_base)); }

const char *textOf(PyObject *string) { return PyUnicode_AsUTF8AndSize(string, nullptr); }

Py_hash_t hashOfText(PyObject *string) {
  static const auto hash = reinterpret_cast<hashfunc>(PyType_GetSlot(&PyUnicode_Type, Py_tp_hash));
  return hash(string);
}

PyObject *callWith(PyObject *function, PyObject *argument) {
  return PyObject_CallFunctionObjArgs(function, argument, nullptr);
}

PyObject *ownAttribute(PyTypeObject *type, const char *name) {
#ifdef Py_LIMITED_API
  Reference attributes = Reference::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dict__"));
  Reference key = Reference::steal(PyUnicode_FromString(name));
  PyObject *value = nullptr;
  if (attributes && key && PySequence_Contains(attributes.get(), key.get()) == 1)
    value = Reference::steal(PyObject_GetItem(attributes.get(), key.get())).get(); // the class holds it
  PyErr_Clear();
  return value;
#else
  return PyDict_GetItemString(type->tp_dict, name);
#endif
}

static PyTypeObject *functionType() {
  return madeOnce([] {
    Reference module = Reference::steal(PyImport_ImportModule("types"));
    return reinterpret_cast<PyTypeObject *>(module ? PyObject_GetAttrString(module.get(), "FunctionType") : nullptr);
  });
}

bool isPythonFunction(PyObject *object) { return Py_TYPE(object) == functionType(); }

Reference cellContents(PyObject *cell) {
#ifdef Py_LIMITED_API
  Reference value = Reference::steal(PyObject_GetAttrString(cell, "cell_contents"));
  if (!value)
    PyErr_Clear();
  return value;
#else
  return Reference::steal(PyCell_Get(cell));
#endif
}

Reference valueOf(PyObject *dict, PyObject *key) {
#if PY_VERSION_HEX >= 0x030D0000 && !defined(Py_LIMITED_API)
  PyObject *value = nullptr;
  PyDict_GetItemRef(dict, key, &value);
  return Reference::steal(value);
#else
  return Reference::borrow(PyDict_GetItemWithError(dict, key));
#endif
}

Reference elementOf(PyObject *sequence, Py_ssize_t index) {
#if PY_VERSION_HEX >= 0x030D0000 && !defined(Py_LIMITED_API)
  if (PyList_Check(sequence))
    return Reference::steal(PyList_GetItemRef(sequence, index));
#endif
  return Reference::borrow(PySequence_Fast_GET_ITEM(sequence, index));
}

} // namespace triton::python

#include "PythonScope.h"
#include "JitFunction.h"
#include "Objects.h"
#include "StateLock.h"

#include <nanobind/nanobind.h>

namespace triton::python {

Reference Capture::current() const {
  return PyDict_Check(container.get()) ? valueOf(container.get(), name.get()) : cellContents(container.get());
}

int Capture::traverse(visitproc visit, void *arg) const {
  Py_VISIT(container.get());
  Py_VISIT(name.get());
  Py_VISIT(value.get());
  return 0;
}

PythonScope::PythonScope(PyObject *function, PyObject *findUsed) : findUsed(Reference::borrow(findUsed)) {
  globals = Reference::steal(PyObject_GetAttrString(function, "__globals__"));
  closure = Reference::steal(PyObject_GetAttrString(function, "__closure__"));
  if (closure.get() == Py_None)
    closure = {};
  if (Reference code = Reference::steal(PyObject_GetAttrString(function, "__code__")))
    freeNames = Reference::steal(PyObject_GetAttrString(code.get(), "co_freevars"));
}

int PythonScope::traverse(visitproc visit, void *arg) const {
  Py_VISIT(globals.get());
  Py_VISIT(closure.get());
  Py_VISIT(freeNames.get());
  Py_VISIT(findUsed.get());
  Py_VISIT(used.get());
  for (const Capture &capture : captured)
    if (int result = capture.traverse(visit, arg))
      return result;
  for (const Reference &callee : called)
    Py_VISIT(callee.get());
  return 0;
}

void PythonScope::clear() {
  // Dropping a reference may run code that reads this scope, so each member is emptied before its references are
  // dropped.
  for (Reference *member : {&globals, &closure, &freeNames, &findUsed, &used})
    Reference dropped = std::exchange(*member, Reference());
  auto droppedCaptures = std::exchange(captured, {});
  auto droppedCallees = std::exchange(called, {});
}

Reference PythonScope::find(PyObject *name, PyObject *&container) {
  if (closure && freeNames) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(freeNames.get()); ++i) {
      if (PyUnicode_Compare(PyTuple_GET_ITEM(freeNames.get(), i), name) != 0)
        continue;
      container = PyTuple_GET_ITEM(closure.get(), i);
      return cellContents(container);
    }
  }
  container = globals.get();
  return container ? valueOf(container, name) : Reference();
}

void PythonScope::remember(PyObject *container, PyObject *name, PyObject *value) {
  for (PyObject *method : methodsOf(value))
    remember(container, name, method);
  if (isJitFunction(value)) {
    for (const Reference &callee : called)
      if (callee.get() == value)
        return;
    called.push_back(Reference::borrow(value));
    return;
  }
  if (!isCapturedValue(value))
    return;
  for (Capture &capture : captured) {
    if (PyUnicode_Compare(capture.name.get(), name) == 0) {
      capture.value = Reference::borrow(value);
      return;
    }
  }
  captured.push_back({Reference::borrow(container), Reference::borrow(name), Reference::borrow(value)});
}

bool PythonScope::isUsed(PyObject *name) {
  if (!used && !findUsed)
    return false; // The scope is cleared.
  if (!used)
    used = Reference::steal(PyObject_CallNoArgs(findUsed.get()));
  int found = used ? PySet_Contains(used.get(), name) : -1;
  if (found < 0)
    throw nanobind::python_error(); // The key of a kernel must not lack a name.
  return found == 1;
}

static Reference asKey(std::string_view name) {
  PyObject *text = PyUnicode_FromStringAndSize(name.data(), Py_ssize_t(name.size()));
  if (text)
    PyUnicode_InternInPlace(&text);
  return Reference::steal(text);
}

bool PythonScope::holdsConstexpr(std::string_view name) {
  AttachedThread attached;
  Reference key = asKey(name);
  PyObject *container = nullptr;
  Reference found = key ? find(key.get(), container) : Reference();
  if (!found)
    PyErr_Clear();
  return found && isConstexpr(found.get());
}

frontend::ObjectRef PythonScope::lookup(std::string_view name) {
  AttachedThread attached;
  Reference key = asKey(name);
  if (!key) {
    PyErr_Clear();
    return nullptr;
  }
  PyObject *container = nullptr;
  Reference found = find(key.get(), container);
  PyObject *value = found.get();
  if (!value) {
    PyErr_Clear();
    return nullptr;
  }
  if ((isCapturedValue(value) || isJitFunction(value)) && !isUsed(key.get()))
    return nullptr;
  remember(container, key.get(), value);
  return globalToObject(value);
}

} // namespace triton::python

// An owned reference to a Python object, for code that uses the C API directly: the launch path, where every nanosecond
// counts. All other code uses nanobind's handles.
#pragma once

#include "StableApi.h"

#include <utility>

namespace triton::python {

class Reference {
public:
  Reference() = default;
  /// Takes over a new reference; null stays null.
  static Reference steal(PyObject *object) {
    Reference result;
    result.object = object;
    return result;
  }
  static Reference borrow(PyObject *object) {
    Py_XINCREF(object);
    return steal(object);
  }
  Reference(Reference &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Reference(const Reference &other) : object(other.object) { Py_XINCREF(object); }
  Reference &operator=(Reference other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// What a variable of an enclosing function holds; null without an exception if it is not set.
Reference cellContents(PyObject *cell);
/// Null, perhaps with an exception, if the dictionary lacks the key.
Reference valueOf(PyObject *dict, PyObject *key);
/// An element of a tuple or a list, which another thread may change: null with an exception where it has become too
/// short.
Reference elementOf(PyObject *sequence, Py_ssize_t index);

} // namespace triton::python

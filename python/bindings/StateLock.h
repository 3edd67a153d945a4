// What the interpreter's lock (GIL) does for the state of this module, in builds of Python that have none.
#pragma once

#include <Python.h>

#include <nanobind/nanobind.h>

namespace triton::python {

/// While a thread has it, no other thread runs code of this module that uses what calls share: the compiled variants of
/// a function, what is known of classes of arrays, the chosen device. Every entry from Python into such code takes it.
/// Like the GIL, it is given up wherever a thread detaches from the interpreter, as it does while a kernel runs or a
/// compilation takes place, and may be given up in calls of Python's API. So it cannot be part of a deadlock, and code
/// under it is written as for the GIL. With a GIL it is nothing.
class StateLock {
public:
  StateLock(const StateLock &) = delete;
#ifdef Py_GIL_DISABLED
  StateLock() { PyCriticalSection_Begin(&section, owner); }
  ~StateLock() { PyCriticalSection_End(&section); }
  /// Once, before the first lock. False with an exception.
  static bool setUp() { return (owner = PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type))); }

private:
  PyCriticalSection section;
  static inline PyObject *owner = nullptr; ///< an object that nothing else locks
#else
  StateLock() {} // not the implicit one: a lock that is never read is no unused variable
  static bool setUp() { return true; }
#endif
};

/// For callbacks of the compiler, whose threads need not be attached to the interpreter.
struct AttachedThread {
  nanobind::gil_scoped_acquire gil;
  StateLock lock;
};

} // namespace triton::python

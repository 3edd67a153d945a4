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
  StateLock() : outer(innermost) {
    // Python 3.13 would wait for what this thread has itself: it yields 40 times before it finds out.
    PyThreadState *thread = PyThreadState_GetUnchecked();
    isHeld = outer && thread->critical_section == reinterpret_cast<uintptr_t>(&outer->section);
    if (isHeld)
      return;
    PyCriticalSection_Begin(&section, owner);
    innermost = this;
  }
  ~StateLock() {
    if (isHeld)
      return;
    PyCriticalSection_End(&section);
    innermost = outer;
  }
  /// Once, before the first lock. False with an exception.
  static bool setUp() { return (owner = PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type))); }

private:
  PyCriticalSection section;
  StateLock *outer; ///< that of a caller on this thread, which may have given it up
  bool isHeld;      ///< the caller's is the thread's last critical section, and so it was not given up
  static inline thread_local StateLock *innermost = nullptr;
  static inline PyObject *owner = nullptr; ///< an object that nothing else locks
#else
  StateLock() {} // not the implicit one: a lock that is never read is not an unused variable
  static bool setUp() { return true; }
#endif
};

/// For callbacks of the compiler, whose threads need not be attached to the interpreter.
struct AttachedThread {
  nanobind::gil_scoped_acquire gil;
  StateLock lock;
};

} // namespace triton::python

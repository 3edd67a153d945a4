// From the Python objects of a launch to the specialization key and the argument slots (runtime/Specialization.h).
#pragma once

#include "LaunchDevice.h"
#include "PythonReference.h"

#include "runtime/Specialization.h"

#include <optional>
#include <vector>

namespace triton::python {

/// One launch's arguments on their way to the kernel. Reused between launches, so that a warm launch allocates nothing.
struct LaunchFrame {
  struct Pointer {
    unsigned slot;
    PyObject *array; ///< borrowed
  };
  runtime::SpecializedArguments specialized;
  std::vector<runtime::ArgumentView> views; ///< pre-order, for describeArguments
  std::vector<PyObject *> objects;          ///< the object behind each view, borrowed
  std::vector<Reference> owners;            ///< what keeps addresses valid until the launch is over
  LaunchDevice device = LaunchDevice::Cpu;  ///< which must be able to access the arrays
  base::ArgumentRanges ranges;              ///< of which variants know which arguments are in them
  std::vector<base::ArrayExtent> arrays;    ///< for the simulator
  std::vector<Pointer> pointers;            ///< the slots that point to arrays
  std::vector<unsigned> readOnly;           ///< the slots whose arrays may not be written
  std::vector<unsigned> lackMemory;         ///< the slots whose arrays have no memory: one can compile, but not launch
  std::optional<void *> stream;             ///< none: the current one

  void clear() {
    ranges = {};
    stream.reset();
    clearArguments();
  }
  void clearArguments() {
    arrays.clear();
    pointers.clear();
    readOnly.clear();
    lackMemory.clear();
    specialized.clear();
    views.clear();
    objects.clear();
    owners.clear();
  }
};

/// Appends `object`, the argument for the parameter of `rule`. False with a Python exception that names the parameter.
bool specialize(const runtime::ParameterRule &rule, PyObject *object, LaunchFrame &frame);

/// Appends a compile-time value that belongs to no parameter, such as an option, to the key alone.
bool appendToKey(PyObject *value, LaunchFrame &frame);

/// The object that stands in keys for the compile-time object that is a frame's only argument and for all that equal
/// it. It lives as long as the process. Borrowed; null when the argument is something else.
PyObject *firstOfEqual(const LaunchFrame &frame);

/// The compiler's view of the frame's arguments, for a new key. Throws on a constant that cannot be converted.
std::vector<frontend::KernelArgument> describeArguments(std::span<const runtime::ParameterRule> rules,
                                                        const LaunchFrame &frame);

} // namespace triton::python

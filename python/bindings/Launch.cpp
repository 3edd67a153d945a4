// The parts of a launch that JITFunction and CompiledKernel share: the grid, and running with the GIL released.
#include "ArrayMemory.h"
#include "CompileThread.h"
#include "Errors.h"
#include "JitFunction.h"

#include <array>
#include <exception>

namespace triton::python {

bool parseExtent(PyObject *item, int32_t &extent) {
  Reference index = Reference::steal(PyNumber_Index(item));
  if (!index) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      return false;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "the grid holds a `%s` (%R); its extents are integers", typeName(item).c_str(), item);
    return false;
  }
  int overflow = 0;
  long value = PyLong_AsLongAndOverflow(index.get(), &overflow);
  if (overflow || value < 0 || value > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "the grid's extent %S is outside 0 to 2147483647", index.get());
    return false;
  }
  extent = int32_t(value);
  return true;
}

bool parseGrid(PyObject *grid, std::array<int32_t, 3> &extents) {
  extents = {1, 1, 1};
  if (PyTuple_Check(grid) || PyList_Check(grid)) [[likely]] {
    Py_ssize_t rank = PySequence_Fast_GET_SIZE(grid);
    if (rank < 1 || rank > 3) {
      PyErr_Format(PyExc_ValueError, "the grid has %zd extents; a grid has one, two or three", rank);
      return false;
    }
    for (Py_ssize_t i = 0; i < rank; ++i)
      if (Reference item = elementOf(grid, i); !item || !parseExtent(item.get(), extents[size_t(i)]))
        return false;
    return true;
  }
  if (grid == Py_None) {
    PyErr_SetString(PyExc_AssertionError, "the grid is None; launch a kernel as `kernel[grid](...)` with a tuple of "
                                          "one to three integers or a function that returns one");
    return false;
  }
  if (PyIndex_Check(grid))
    return parseExtent(grid, extents[0]);
  PyErr_Format(PyExc_TypeError,
               "the grid is a `%s`; it must be a tuple of one to three integers or a function that "
               "returns one",
               typeName(grid).c_str());
  return false;
}

/// Refuses read-only arrays that the kernel stores through.
static bool checkReadOnly(const base::CompiledKernel &kernel, const LaunchFrame &frame) {
  for (unsigned slot : frame.readOnly) {
    if (slot >= kernel.arguments.size() || !kernel.arguments[slot].isStored)
      continue;
    PyErr_Format(
        PyExc_ValueError,
        "argument `%s`: the array is read-only, but `%s` stores to it; pass an array that may be written, such "
        "as a copy",
        kernel.arguments[slot].name.c_str(), kernel.name.c_str());
    return false;
  }
  return true;
}

/// Refuses arrays that have elements but no memory.
static bool checkMemory(const base::CompiledKernel &kernel, const LaunchFrame &frame) {
  if (frame.lackMemory.empty()) [[likely]]
    return true;
  unsigned slot = frame.lackMemory.front();
  const char *name = slot < kernel.arguments.size() ? kernel.arguments[slot].name.c_str() : "";
  PyErr_Format(PyExc_ValueError,
               "argument `%s`: the tensor has elements but no memory, as a fake tensor has none; `%s` can be compiled "
               "for it with `warmup`, but not launched",
               name, kernel.name.c_str());
  return false;
}

/// Whether a signal handler raised an exception. If so, the exception is set.
static bool signalRaised(PyThreadState *&released) {
  PyEval_RestoreThread(released);
  bool raised = PyErr_CheckSignals() != 0;
  released = PyEval_SaveThread();
  return raised;
}

/// Runs `body` with the GIL released; what it throws becomes a Python exception. `body` takes a check for interrupts.
template <typename Body> static bool runReleased(Body body) {
  std::exception_ptr failure;
  PyThreadState *state = PyEval_SaveThread();
  auto interrupted = [&state] { return signalRaised(state); };
  try {
    body(isSignalThread() ? base::InterruptCheck(interrupted) : nullptr);
  } catch (const base::LaunchInterrupted &) {
    PyEval_RestoreThread(state);
    return false;
  } catch (...) {
    failure = std::current_exception();
  }
  PyEval_RestoreThread(state);
  if (!failure) [[likely]]
    return true;
  setPythonError(failure);
  return false;
}

static thread_local llvm::json::Object *mappedMemory = nullptr;

MappedLaunches::MappedLaunches(llvm::json::Object &memory) { mappedMemory = &memory; }
MappedLaunches::~MappedLaunches() { mappedMemory = nullptr; }

bool runKernel(const base::CompiledKernel &kernel, const LaunchFrame &frame, const std::array<int32_t, 3> &grid,
               int maxThreads) {
  if (!kernel.loaded) [[unlikely]] {
    PyErr_Format(PyExc_RuntimeError, "`%s` was compiled for `%s` and cannot run in this process", kernel.name.c_str(),
                 kernel.target.backend.c_str());
    return false;
  }
  if ((!frame.readOnly.empty() && !checkReadOnly(kernel, frame)) || !checkMemory(kernel, frame)) [[unlikely]]
    return false;
  base::KernelLaunch launch{.grid = grid, .arguments = frame.specialized.slots};
  launch.maxThreads = maxThreads;
  if (frame.stream)
    launch.stream = *frame.stream;
  else if (!currentStream(frame.device, launch.stream))
    return false;
  std::vector<base::ArrayExtent> arrays;
  if (frame.device == LaunchDevice::Simulated) {
    arrays = frame.arrays;
    arrays.insert(arrays.end(), accessibleMemory().begin(), accessibleMemory().end());
    launch.arrays = arrays;
    launch.memoryMap = mappedMemory;
  }
  std::vector<base::ArrayElements> views;
  if (frame.device == LaunchDevice::Simulated && viewsAreChecked()) [[unlikely]]
    for (const LaunchFrame::Pointer &pointer : frame.pointers)
      if (!appendElements(pointer.array, pointer.slot, views))
        return false;
  return runReleased([&](base::InterruptCheck interrupted) {
    base::CheckedViews checked(views);
    launch.interrupted = interrupted;
    kernel.loaded->launch(launch);
  });
}

} // namespace triton::python

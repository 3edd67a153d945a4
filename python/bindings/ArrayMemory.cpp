#include "ArrayMemory.h"
#include "ArrayReader.h"

namespace triton::python {

/// Calls the function `name` of triton._memory.
static bool askPython(const char *name, PyObject *&function, PyObject *array, base::ArrayExtent &extent) {
  if (!function) {
    Reference module = Reference::steal(PyImport_ImportModule("triton._memory"));
    function = module ? PyObject_GetAttrString(module.get(), name) : nullptr;
    if (!function)
      return false;
  }
  Reference range = Reference::steal(callWith(function, array));
  unsigned long long begin, bytes;
  if (!range || !PyArg_ParseTuple(range.get(), "KK", &begin, &bytes))
    return false;
  extent.begin = uintptr_t(begin);
  extent.bytes = size_t(bytes);
  return true;
}

bool findMemory(PyObject *array, LaunchDevice device, base::ArrayExtent &extent) {
  static PyObject *memoryOf = nullptr, *deviceMemoryOf = nullptr;
  if (readStorage(array, extent.begin, extent.bytes)) [[likely]]
    return true;
  bool isHost = device == LaunchDevice::Simulated || device == LaunchDevice::Cpu;
  return isHost ? askPython("memory_of", memoryOf, array, extent)
                : askPython("device_memory_of", deviceMemoryOf, array, extent);
}

} // namespace triton::python

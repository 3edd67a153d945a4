#include "ArrayMemory.h"
#include "ArrayReader.h"

namespace triton::python {

static bool areViewsChecked = false, isGpuPretended = false;

/// Calls the function `name` of triton._memory; null with an exception.
static Reference askPython(const char *name, PyObject *&function, PyObject *array) {
  if (!function) {
    Reference module = Reference::steal(PyImport_ImportModule("triton._memory"));
    function = module ? PyObject_GetAttrString(module.get(), name) : nullptr;
    if (!function)
      return {};
  }
  return Reference::steal(callWith(function, array));
}

static bool askRange(const char *name, PyObject *&function, PyObject *array, base::ArrayExtent &extent) {
  Reference range = askPython(name, function, array);
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
  return isHost ? askRange("memory_of", memoryOf, array, extent)
                : askRange("device_memory_of", deviceMemoryOf, array, extent);
}

void setGpuIsPretended(bool isPretended) { isGpuPretended = isPretended; }
bool gpuIsPretended() { return isGpuPretended; }

void setViewsAreChecked(bool areChecked) { areViewsChecked = areChecked; }
bool viewsAreChecked() { return areViewsChecked; }

bool appendElements(PyObject *array, unsigned argument, std::vector<base::ArrayElements> &views) {
  static PyObject *elementsOf = nullptr;
  Reference elements = askPython("elements_of", elementsOf, array);
  if (!elements || elements.get() == Py_None)
    return bool(elements);
  unsigned long long begin, bytes;
  PyObject *dimensions;
  int isRestOwn;
  if (!PyArg_ParseTuple(elements.get(), "KKO!p", &begin, &bytes, &PyList_Type, &dimensions, &isRestOwn))
    return false;
  base::ArrayElements view{argument, uintptr_t(begin), size_t(bytes), {}, isRestOwn != 0};
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(dimensions); ++i) {
    unsigned long long extent, stride;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(dimensions, i), "KK", &extent, &stride))
      return false;
    view.dimensions.push_back({size_t(extent), size_t(stride)});
  }
  views.push_back(std::move(view));
  return true;
}

} // namespace triton::python

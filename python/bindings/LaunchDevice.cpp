#include "LaunchDevice.h"

#include "compiler/Devices.h"

#include <algorithm>
#include <exception>
#include <vector>

namespace triton::python {

namespace {
LaunchDevice active = LaunchDevice::Undecided;
uint64_t activeNumber = 0;
std::vector<int> capabilities;    ///< of the CUDA devices, when they differ
PyObject *streamSource = nullptr; // owned
std::vector<base::ArrayExtent> accessible;
} // namespace

LaunchDevice launchDeviceOf(std::string_view backend) {
  if (backend.starts_with("sim:"))
    return LaunchDevice::Simulated;
  return backend == "cuda" ? LaunchDevice::Cuda : LaunchDevice::Cpu;
}

LaunchDevice activeLaunchDevice() {
  if (active != LaunchDevice::Undecided) [[likely]]
    return active;
  Reference module = Reference::steal(PyImport_ImportModule("triton.runtime.driver"));
  Reference config = Reference::steal(module ? PyObject_GetAttrString(module.get(), "driver") : nullptr);
  Reference driver = Reference::steal(config ? PyObject_GetAttrString(config.get(), "active") : nullptr);
  if (driver && active == LaunchDevice::Undecided)
    PyErr_SetString(PyExc_RuntimeError, "the active driver does not say which device it is for");
  return driver ? active : LaunchDevice::Undecided;
}

uint64_t activeTargetIdentity() {
  uint64_t number = activeNumber;
  if (active == LaunchDevice::Cuda && !capabilities.empty()) [[unlikely]]
    number = uint64_t(capabilities[size_t(cudaDriver().currentDevice())]);
  // A GPU and its simulator have the same number.
  return uint64_t(active) << 32 | number;
}

void setLaunchDevice(LaunchDevice device, uint64_t number) {
  active = device;
  activeNumber = number;
  capabilities.clear();
  if (device != LaunchDevice::Cuda || !cudaDriver().isAvailable())
    return;
  for (int i = 0; i < cudaDriver().deviceCount(); ++i)
    capabilities.push_back(std::stoi(cudaDriver().arch(i)));
  if (std::count(capabilities.begin(), capabilities.end(), capabilities.front()) == std::ptrdiff_t(capabilities.size()))
    capabilities.clear();
}

const std::vector<base::ArrayExtent> &accessibleMemory() { return accessible; }
void setAccessibleMemory(std::vector<base::ArrayExtent> memory) { accessible = std::move(memory); }

const base::DeviceDriver &cudaDriver() { return *compiler::deviceDriver("cuda"); }

bool currentStream(LaunchDevice device, void *&stream) {
  stream = nullptr;
  if (device != LaunchDevice::Cuda || !streamSource)
    return true;
  int index = 0;
  try {
    index = cudaDriver().currentDevice();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return false;
  }
  Reference source = Reference::borrow(streamSource); // a reference, because the function may set another source
  Reference number = Reference::steal(PyLong_FromLong(index));
  Reference handle = Reference::steal(number ? PyObject_CallOneArg(source.get(), number.get()) : nullptr);
  if (!handle)
    return false;
  stream = PyLong_AsVoidPtr(handle.get());
  return stream || !PyErr_Occurred();
}

void setStreamSource(PyObject *source) {
  Py_XDECREF(std::exchange(streamSource, source == Py_None ? nullptr : Py_NewRef(source)));
}

} // namespace triton::python

#include "LaunchDevice.h"
#include "ArrayReader.h"

#include "compiler/Devices.h"

#include <algorithm>
#include <exception>
#include <map>
#include <vector>

namespace triton::python {

namespace {
LaunchDevice active = LaunchDevice::Undecided;
const base::DeviceDriver *driver = nullptr; ///< of a GPU
uint64_t activeIdentity = 0;
base::ArgumentRanges ranges;      ///< of the active target
std::vector<uint64_t> identities; ///< of the GPU's devices, when they differ
PyObject *streamSource = nullptr; // owned
const dlpack::ExchangeApi *streamExchange = nullptr;
dlpack::DeviceType streamDevice = dlpack::Cuda; ///< what DLPack calls the active backend's GPUs
std::vector<base::ArrayExtent> accessible;

/// The number of a target. Two targets never have the same one.
uint64_t identityOf(const std::string &backend, const std::string &arch) {
  static std::map<std::string, uint64_t> known;
  return known.try_emplace(backend + ":" + arch, known.size()).first->second;
}
} // namespace

LaunchDevice launchDeviceOf(std::string_view backend) {
  if (backend.starts_with("sim:"))
    return LaunchDevice::Simulated;
  if (!compiler::hasBackend(backend))
    return LaunchDevice::Foreign;
  return compiler::deviceDriver(backend) ? LaunchDevice::Gpu : LaunchDevice::Cpu;
}

LaunchDevice activeLaunchDevice() {
  if (active != LaunchDevice::Undecided) [[likely]]
    return active;
  Reference module = Reference::steal(PyImport_ImportModule("triton.runtime.driver"));
  Reference config = Reference::steal(module ? PyObject_GetAttrString(module.get(), "driver") : nullptr);
  Reference found = Reference::steal(config ? PyObject_GetAttrString(config.get(), "active") : nullptr);
  if (found && active == LaunchDevice::Undecided)
    PyErr_SetString(PyExc_RuntimeError, "the active driver does not say which device it is for");
  return found ? active : LaunchDevice::Undecided;
}

uint64_t activeTargetIdentity() {
  if (!identities.empty()) [[unlikely]]
    return identities[size_t(driver->currentDevice())];
  return activeIdentity;
}

base::ArgumentRanges activeTargetRanges() { return ranges; }

void setLaunchDevice(const std::string &backend, const std::string &arch) {
  active = launchDeviceOf(backend);
  driver = active == LaunchDevice::Gpu ? compiler::deviceDriver(backend) : nullptr;
  activeIdentity = identityOf(backend, arch);
  ranges = compiler::argumentRanges(backend, arch);
  streamDevice = backend == "hip" ? dlpack::Rocm : dlpack::Cuda;
  identities.clear();
  if (!driver || !driver->isAvailable())
    return;
  for (int i = 0; i < driver->deviceCount(); ++i)
    identities.push_back(identityOf(backend, driver->arch(i)));
  if (std::count(identities.begin(), identities.end(), identities.front()) == std::ptrdiff_t(identities.size()))
    identities.clear();
}

const std::vector<base::ArrayExtent> &accessibleMemory() { return accessible; }
void setAccessibleMemory(std::vector<base::ArrayExtent> memory) { accessible = std::move(memory); }

const base::DeviceDriver *activeDriver() { return driver; }

bool currentStream(LaunchDevice device, void *&stream) {
  stream = nullptr;
  if (device != LaunchDevice::Gpu || !streamSource || !driver)
    return true;
  int index = 0;
  try {
    index = driver->currentDevice();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return false;
  }
  if (streamExchange) [[likely]]
    return streamExchange->currentStream(streamDevice, index, &stream) == 0;
  Reference source = Reference::borrow(streamSource); // a reference, because the function may set another source
  Reference number = Reference::steal(PyLong_FromLong(index));
  Reference handle = Reference::steal(number ? callWith(source.get(), number.get()) : nullptr);
  if (!handle)
    return false;
  stream = PyLong_AsVoidPtr(handle.get());
  return stream || !PyErr_Occurred();
}

void setStreamSource(PyObject *source, PyObject *tensors) {
  streamExchange = tensors == Py_None ? nullptr : findExchangeApi(tensors);
  if (streamExchange && !streamExchange->currentStream)
    streamExchange = nullptr;
  Py_XDECREF(std::exchange(streamSource, source == Py_None ? nullptr : Py_NewRef(source)));
}

} // namespace triton::python

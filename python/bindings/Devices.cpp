// What Python's drivers ask of devices.
#include "Bindings.h"
#include "Errors.h"
#include "LaunchDevice.h"

#include "backends/nvidia/Driver.h"
#include "backends/nvidia/Toolkit.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

/// Calls the driver; its exceptions become Python's.
template <typename Body> auto withDriver(Body body) {
  try {
    return body(nvidia::Driver::get());
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

nb::dict cudaProperties(int device) {
  nvidia::DeviceProperties properties =
      withDriver([&](const nvidia::Driver &driver) { return driver.properties(device); });
  nb::dict result;
  result["name"] = properties.name;
  result["capability"] = properties.capability;
  result["max_shared_mem"] = properties.maxSharedBytes;
  result["max_num_regs"] = properties.maxRegisters;
  result["multiprocessor_count"] = properties.multiprocessors;
  result["warpSize"] = properties.warpSize;
  result["sm_clock_rate"] = properties.clockKilohertz;
  result["mem_clock_rate"] = properties.memoryClockKilohertz;
  result["mem_bus_width"] = properties.memoryBusBits;
  return result;
}

} // namespace

void registerDevices(nb::module_ &module) {
  module.def("set_launch_device",
             [](const std::string &backend, uint64_t number) { setLaunchDevice(launchDeviceOf(backend), number); });
  module.def("set_stream_source", [](nb::handle source) { setStreamSource(source.ptr()); }, nb::arg("source").none());
  module.def("set_accessible_memory", [](const std::vector<std::tuple<uintptr_t, size_t, bool>> &ranges) {
    std::vector<compiler::ArrayExtent> memory;
    memory.reserve(ranges.size());
    for (auto [begin, bytes, live] : ranges)
      memory.push_back({compiler::ArrayExtent::noArgument, begin, bytes, live});
    setAccessibleMemory(std::move(memory));
  });
  module.def("add_toolkit_directory", &nvidia::addToolkitDirectory);
  module.def("cuda_is_available", &nvidia::Driver::isAvailable);
  module.def("cuda_device_count",
             [] { return withDriver([](const nvidia::Driver &driver) { return driver.deviceCount(); }); });
  module.def("cuda_current_device",
             [] { return withDriver([](const nvidia::Driver &driver) { return driver.currentDevice(); }); });
  module.def("cuda_set_current_device", [](int device) {
    withDriver([&](const nvidia::Driver &driver) { return driver.setCurrentDevice(device); });
  });
  module.def("cuda_synchronize", [] { withDriver([](const nvidia::Driver &driver) { return driver.synchronize(); }); });
  module.def("cuda_properties", &cudaProperties);
}

} // namespace triton::python

// The functions by which Python's drivers ask about devices.
#include "Bindings.h"
#include "Errors.h"
#include "LaunchDevice.h"

#include "compiler/Devices.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

/// Calls the driver; its exceptions become Python's.
template <typename Body> auto withDriver(Body body) {
  try {
    return body(cudaDriver());
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

nb::dict cudaProperties(int device) {
  base::DeviceProperties properties =
      withDriver([&](const base::DeviceDriver &driver) { return driver.properties(device); });
  nb::dict result;
  result["name"] = properties.name;
  result["capability"] = std::stoi(properties.arch);
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
    std::vector<base::ArrayExtent> memory;
    memory.reserve(ranges.size());
    for (auto [begin, bytes, live] : ranges)
      memory.push_back({base::ArrayExtent::noArgument, begin, bytes, live});
    setAccessibleMemory(std::move(memory));
  });
  module.def("add_toolkit_directory", [](const std::string &path) { compiler::addToolkitDirectory("cuda", path); });
  module.def("find_tool", [](const std::string &name) {
    try {
      return compiler::findTool("cuda", name);
    } catch (...) {
      setPythonError();
      throw nb::python_error();
    }
  });
  module.def("cuda_is_available", [] { return cudaDriver().exists(); });
  module.def("cuda_can_launch", [] { return cudaDriver().isAvailable(); });
  module.def("cuda_device_count",
             [] { return withDriver([](const base::DeviceDriver &driver) { return driver.deviceCount(); }); });
  module.def("cuda_current_device",
             [] { return withDriver([](const base::DeviceDriver &driver) { return driver.currentDevice(); }); });
  module.def("cuda_set_current_device", [](int device) {
    withDriver([&](const base::DeviceDriver &driver) { return driver.setCurrentDevice(device); });
  });
  module.def("cuda_synchronize",
             [] { withDriver([](const base::DeviceDriver &driver) { return driver.synchronize(); }); });
  module.def("cuda_capability", [](int device) {
    return withDriver([&](const base::DeviceDriver &driver) { return std::stoi(driver.arch(device)); });
  });
  module.def("cuda_properties", &cudaProperties);
}

} // namespace triton::python

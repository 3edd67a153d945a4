// The functions by which Python's drivers ask about devices.
#include "ArrayMemory.h"
#include "Bindings.h"
#include "Errors.h"
#include "LaunchDevice.h"

#include "base/ProgramOrders.h"
#include "base/UnwrittenReads.h"
#include "compiler/Devices.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

/// Calls the driver of a backend that has one; its exceptions become Python's.
template <typename Body> auto withDriver(const std::string &backend, Body body) {
  try {
    return body(*compiler::deviceDriver(backend));
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

nb::dict gpuProperties(const std::string &backend, int device) {
  base::DeviceProperties properties =
      withDriver(backend, [&](const base::DeviceDriver &driver) { return driver.properties(device); });
  nb::dict result;
  result["name"] = properties.name;
  result["arch"] = properties.arch;
  result["max_shared_mem"] = properties.maxSharedBytes;
  result["max_num_regs"] = properties.maxRegisters;
  result["multiprocessor_count"] = properties.multiprocessors;
  result["warpSize"] = properties.warpSize;
  result["sm_clock_rate"] = properties.clockKilohertz;
  result["mem_clock_rate"] = properties.memoryClockKilohertz;
  result["mem_bus_width"] = properties.memoryBusBits;
  result["max_threads_per_sm"] = properties.threadsOfMultiprocessor;
  result["cooperativeLaunch"] = int(properties.launchesCooperatively);
  return result;
}

/// A function of a driver without other arguments than the backend's name.
template <typename Result>
void registerQuestion(nb::module_ &module, const char *name, Result (base::DeviceDriver::*question)() const) {
  module.def(name, [question](const std::string &backend) {
    return withDriver(backend, [&](const base::DeviceDriver &driver) { return (driver.*question)(); });
  });
}

} // namespace

/// The members may wait for each other, so that they do not hold the GIL.
static void registerDeviceGroup(nb::module_ &module) {
  using Released = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<base::DeviceGroup>(module, "DeviceGroup")
      .def("meet", &base::DeviceGroup::meet, Released())
      .def("end", &base::DeviceGroup::end, Released())
      .def("give_up", &base::DeviceGroup::giveUp, Released());
  module.def("make_device_group", &compiler::makeDeviceGroup, nb::arg("count"));
  module.def(
      "set_device_of_thread",
      [](std::shared_ptr<base::DeviceGroup> group, unsigned device) {
        base::DeviceGroup::ofThread() = {std::move(group), device};
      },
      nb::arg("group").none(), nb::arg("device") = 0);
}

void registerDevices(nb::module_ &module) {
  registerDeviceGroup(module);
  module.def("has_backend", &compiler::hasBackend, nb::arg("name"), "Whether this build generates code for it.");
  module.def(
      "set_launch_device", [](const std::string &backend, const std::string &arch) { setLaunchDevice(backend, arch); },
      Locked());
  module.def(
      "set_stream_source", [](nb::handle source, nb::handle tensors) { setStreamSource(source.ptr(), tensors.ptr()); },
      Locked(), nb::arg("source").none(), nb::arg("tensors").none() = nb::none());
  module.def(
      "set_accessible_memory",
      [](const std::vector<std::tuple<uintptr_t, size_t, bool>> &ranges) {
        std::vector<base::ArrayExtent> memory;
        memory.reserve(ranges.size());
        for (auto [begin, bytes, live] : ranges)
          memory.push_back({base::ArrayExtent::noArgument, begin, bytes, live});
        setAccessibleMemory(std::move(memory));
      },
      Locked());
  module.def("pretend_gpu", &setGpuIsPretended, nb::arg("is_pretended"));
  module.def(
      "is_capturing",
      [] {
        void *stream = nullptr;
        const base::DeviceDriver *driver = activeDriver();
        if (!driver || !currentStream(LaunchDevice::Gpu, stream))
          PyErr_Clear(); // the launch that follows says so
        return driver && stream && driver->isCapturing(stream);
      },
      Locked(), "Whether launches now become part of a graph.");
  module.def("check_views", &setViewsAreChecked, nb::arg("are_checked"));
  module.def("set_program_orders", [](unsigned orders) { base::programOrders() = orders; });
  module.def("watch_unwritten", [](uint32_t word) { base::unwrittenReads().word = word; });
  module.def("take_unwritten_reads", [] { return base::unwrittenReads().take(); });
  module.def("add_toolkit_directory",
             [](const std::string &backend, const std::string &path) { compiler::addToolkitDirectory(backend, path); });
  module.def("operand_packing", [](const std::string &arch, const std::string &type, int64_t m, int64_t n, int64_t k) {
    try {
      auto [panel, group] = compiler::operandPacking("cpu", arch, type, {m, n, k});
      return nb::make_tuple(panel, group);
    } catch (...) {
      setPythonError();
      throw nb::python_error();
    }
  });
  module.def("find_tool", [](const std::string &name) {
    try {
      return compiler::findTool("cuda", name);
    } catch (...) {
      setPythonError();
      throw nb::python_error();
    }
  });
  registerQuestion(module, "gpu_exists", &base::DeviceDriver::exists);
  registerQuestion(module, "gpu_is_available", &base::DeviceDriver::isAvailable);
  registerQuestion(module, "gpu_device_count", &base::DeviceDriver::deviceCount);
  registerQuestion(module, "gpu_current_device", &base::DeviceDriver::currentDevice);
  registerQuestion(module, "gpu_synchronize", &base::DeviceDriver::synchronize);
  module.def("gpu_set_current_device", [](const std::string &backend, int device) {
    withDriver(backend, [&](const base::DeviceDriver &driver) { driver.setCurrentDevice(device); });
  });
  module.def("gpu_arch", [](const std::string &backend, int device) {
    return withDriver(backend, [&](const base::DeviceDriver &driver) { return driver.arch(device); });
  });
  module.def("gpu_properties", &gpuProperties);
}

} // namespace triton::python

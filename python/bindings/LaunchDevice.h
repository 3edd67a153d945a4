// The device that launches go to, as `triton.runtime.driver.active` has chosen it.
#pragma once

#include "PythonReference.h"

#include "base/ArgumentRanges.h"
#include "base/DeviceDriver.h"
#include "base/LoadedKernel.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triton::python {

enum class LaunchDevice : uint8_t {
  Undecided, ///< the active driver has not been asked for yet
  Cpu,
  Gpu,       ///< through the driver of its backend
  Simulated, ///< a GPU in the simulator: arrays of the host, whose extents are known
  Foreign,   ///< a device of another package's backend, which launches itself and takes arrays that are anywhere
};

/// The device of a target's backend: "cpu", "cuda", "hip", "sim:cuda", or a name that another package gave its own.
LaunchDevice launchDeviceOf(std::string_view backend);

/// The active driver's device; asks Python for it the first time. Undecided together with a Python exception.
LaunchDevice activeLaunchDevice();
/// A number that distinguishes the active target from others: part of every key.
uint64_t activeTargetIdentity();
/// compiler::argumentRanges of the active target.
base::ArgumentRanges activeTargetRanges();
void setLaunchDevice(const std::string &backend, const std::string &arch);

/// Memory besides the arguments' that simulated kernels may access.
const std::vector<base::ArrayExtent> &accessibleMemory();
void setAccessibleMemory(std::vector<base::ArrayExtent> memory);

/// The driver of the GPUs that launches go to; null where they go elsewhere.
const base::DeviceDriver *activeDriver();

/// The stream to which launches go in the device's framework; null: the device's default stream. False with an
/// exception.
bool currentStream(LaunchDevice device, void *&stream);
/// A function of the device's index that returns the current stream's handle; None: always the default stream. If
/// `tensors`, a type, has a table of DLPack with such a function, launches call that instead: it needs no Python
/// object.
void setStreamSource(PyObject *source, PyObject *tensors);

} // namespace triton::python

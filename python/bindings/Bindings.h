// What each file of the extension module adds to it.
#pragma once

#include "StateLock.h"

#include <nanobind/nanobind.h>

namespace triton::python {

/// For functions that use the state of the module.
using Locked = nanobind::call_guard<StateLock>;

void registerAot(nanobind::module_ &module);
void registerCommandLine(nanobind::module_ &module);
void registerEncodings(nanobind::module_ &module);
void registerExplorerPage(nanobind::module_ &module);
void registerKernel(nanobind::module_ &module);
void registerDevices(nanobind::module_ &module);
void registerOperationListing(nanobind::module_ &module);
void registerFolders(nanobind::module_ &module);
void registerLinearLayout(nanobind::module_ &module);
void registerPlacedLayouts(nanobind::module_ &module);
void registerProfiler(nanobind::module_ &module);
void registerTimeEstimates(nanobind::module_ &module);

} // namespace triton::python

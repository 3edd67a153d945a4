// Whether the arrays of a launch lie in memory that does not overlap, which the code of a kernel may suppose
// (analysis/DisjointArguments.h).
#pragma once

#include "ArgumentSpecializer.h"

#include "base/CompiledKernel.h"

#include <vector>

namespace triton::python {

/// Whether arrays of the launch overlap, or may do so, that the kernel takes to be disjoint. The storages are compared,
/// not the views, because a kernel may leave a view. A few nanoseconds for each of PyTorch's tensors.
bool overlap(const base::CompiledKernel &kernel, const LaunchFrame &frame);

/// For each slot the number of its array's storage; storages that overlap have the same number.
std::vector<int> numberStorages(const LaunchFrame &frame);

/// Says of each pointer among the arguments that a kernel is compiled for which storage it points into. Without numbers
/// each has its own, which launches then check.
void setStorages(std::vector<frontend::KernelArgument> &arguments, std::span<const int> numbers = {});

/// Sets the exception `StorageOverlap`, whose `storages` are the numbers of the frame's slots.
void raiseOverlap(const base::CompiledKernel &kernel, const LaunchFrame &frame);

bool registerStorageOverlap(PyObject *module);

} // namespace triton::python

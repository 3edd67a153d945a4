// The processors that this process may use.
#pragma once

#include <vector>

namespace triton::cpu {

/// Their numbers, by the affinity of the calling thread.
std::vector<int> allowedProcessors();

/// How many threads of this process can run at the same time: as many as there are allowed processors, but no more than
/// the quotas of the control groups of this process pay for. At least 1.
unsigned usableProcessors();

/// The number of processors that a quota pays for, from the text of a file of the kernel; 0: no limit. The text is that
/// of `cpu.max` ("200000 100000", or "max 100000"), or of `cpu.cfs_quota_us` and `cpu.cfs_period_us`, one after the
/// other.
unsigned processorsOfQuota(const char *text);

} // namespace triton::cpu

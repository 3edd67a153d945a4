// The collector that uses ROCm's roctracer.
#pragma once

#include "profiler/Collector.h"

namespace triton::profiling {

Collector &roctracerCollector();

} // namespace triton::profiling

// The collector that uses CUPTI.
#pragma once

#include "profiler/Collector.h"

namespace triton::profiling {

Collector &cuptiCollector();

} // namespace triton::profiling

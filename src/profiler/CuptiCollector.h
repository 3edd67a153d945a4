// The collector that uses CUPTI.
#pragma once

#include "profiler/Collector.h"

namespace triton::profiler {

Collector &cuptiCollector();

} // namespace triton::profiler

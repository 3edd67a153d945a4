// Times of tuned kernels for sizes that nobody has measured.
#include "Bindings.h"

#include "runtime/TimeEstimate.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

using Configuration = std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::vector<double>>;

static std::vector<double> estimateTimes(const std::vector<std::vector<int64_t>> &sizes,
                                         const std::vector<Configuration> &configurations, int64_t processors) {
  std::vector<double> times;
  times.reserve(configurations.size());
  for (const auto &[constants, programs, milliseconds] : configurations)
    times.push_back(runtime::estimateTime(sizes, {constants, programs, milliseconds}, processors));
  return times;
}

void registerTimeEstimates(nb::module_ &module) {
  module.def("estimate_times", &estimateTimes, nb::arg("sizes"), nb::arg("configurations"), nb::arg("processors"),
             "The milliseconds of each configuration, (constants, programs, milliseconds), for the last of the keys.");
}

} // namespace triton::python

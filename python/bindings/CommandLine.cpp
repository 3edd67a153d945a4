// The command line `tritonc`, for machines that have the wheel alone.
#include "tritonc/CommandLine.h"
#include "Bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

/// The exit code. Without the server of pages, which needs libraries that a wheel cannot count on.
static int runTritonc(const std::vector<std::string> &words, const std::string &python) {
  std::vector<const char *> arguments;
  arguments.reserve(words.size());
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  nb::gil_scoped_release release;
  return tritonc::runCommandLine(int(arguments.size()), arguments.data(), {/*serve=*/{}, python});
}

void triton::python::registerCommandLine(nb::module_ &module) {
  module.def("run_tritonc", &runTritonc, nb::arg("words"), nb::arg("python"), "Runs `tritonc`; its exit code.");
}

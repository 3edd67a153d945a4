// Ahead-of-time compilation and linking, for `triton.tools`.
#include "Bindings.h"
#include "Errors.h"
#include "Kernel.h"
#include "Objects.h"

#include "aot/Bundle.h"
#include "aot/CompileFile.h"
#include "aot/Errors.h"
#include "aot/Link.h"
#include "aot/OutputFiles.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

using aot::Parameter;
using aot::Specification;

/// Runs `body`; its exceptions become Python's.
template <typename Body> auto translated(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const aot::Error &error) {
    throw nb::value_error(error.what());
  } catch (const nb::python_error &) {
    throw;
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

Specification specify(const std::string &kernelName, const std::string &outName, const std::string &signature,
                      const std::string &grid, int numWarps, int numStages,
                      const std::vector<std::tuple<std::string, bool, bool>> &parameters) {
  aot::Request request{kernelName, outName, signature, grid, numWarps, numStages, /*numCtas=*/1, {}};
  for (const auto &[name, isConstexpr, hasDefault] : parameters)
    request.parameters.push_back({name, isConstexpr, hasDefault});
  return translated([&] { return aot::readSpecification(request); });
}

/// Name → type, of the parameters that have one at run time.
nb::dict typesOf(const Specification &specification) {
  nb::dict types;
  for (const Parameter &parameter : specification.parameters)
    if (parameter.passing == Parameter::Passing::Runtime)
      types[parameter.name.c_str()] = parameter.type.str();
  return types;
}

nb::dict constantsOf(const Specification &specification) {
  nb::dict constants;
  for (const Parameter &parameter : specification.parameters)
    if (parameter.constant)
      constants[parameter.name.c_str()] = nb::steal(toPython(*parameter.constant).release());
  return constants;
}

/// The indices of the parameters that are multiples of 16.
std::vector<std::size_t> divisibleOf(const Specification &specification) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < specification.parameters.size(); ++i)
    if (specification.parameters[i].divisibleBy16)
      indices.push_back(i);
  return indices;
}

/// (extension, text) of each file.
std::vector<std::pair<std::string, std::string>> generate(const Specification &specification,
                                                          const KernelHandle &kernel) {
  return translated([&] {
    std::vector<std::pair<std::string, std::string>> files;
    for (aot::GeneratedFile &file : aot::generateC(specification, *kernel.compiled))
      files.emplace_back(std::move(file.name), std::move(file.text));
    return files;
  });
}

void write(const std::vector<std::pair<std::string, std::string>> &files) {
  std::vector<aot::GeneratedFile> generated;
  generated.reserve(files.size());
  for (const auto &[path, text] : files)
    generated.push_back({path, text});
  translated([&] { aot::writeFiles(generated); });
}

/// (backend, architecture, lanes of a warp, architecture of a processor).
std::tuple<std::string, std::string, int, std::string> readTarget(const std::string &text) {
  std::string processor;
  base::Target target = translated([&] { return aot::readTarget(text, processor); });
  return {target.backend, target.arch, target.warpSize, processor};
}

/// Writes a bundle with what programs in C can launch of the kernels, which are (path, kernel, name, signatures, warps,
/// stages), and with the items, by name. A sentence for each kernel that is not for C.
std::vector<std::string> writeBundle(
    const std::string &output,
    const std::vector<std::tuple<std::string, std::string, std::string, std::vector<std::string>, int, int>> &kernels,
    const std::vector<std::string> &targets, const nb::dict &items, const nb::bytes &key) {
  aot::BundleRequest request{{}, targets, output, {}, std::string(key.c_str(), key.size())};
  for (const auto &[path, kernel, name, signatures, warps, stages] : kernels)
    request.kernels.push_back({path, signatures, {kernel, name, "", "", warps, stages, /*numCtas=*/1, {}}});
  for (auto [name, bytes] : items) {
    nb::bytes data = nb::cast<nb::bytes>(bytes);
    request.items.emplace_back(nb::cast<std::string>(name), std::string(data.c_str(), data.size()));
  }
  return translated([&] {
    nb::gil_scoped_release released;
    return aot::writeBundleOfWhatFits(request);
  });
}

std::vector<std::string> link(const std::vector<std::string> &headers, const std::string &out) {
  return translated([&] { return aot::linkFiles(headers, out); });
}

} // namespace

void registerAot(nb::module_ &module) {
  nb::class_<Specification>(module, "AotSpecification", "A variant of a kernel to be written as C.")
      .def_static("read", &specify, nb::arg("kernel_name"), nb::arg("out_name"), nb::arg("signature"), nb::arg("grid"),
                  nb::arg("num_warps"), nb::arg("num_stages"), nb::arg("parameters"))
      .def_ro("function_name", &Specification::functionName)
      .def_ro("out_name", &Specification::outName)
      .def_ro("file_suffix", &Specification::fileSuffix)
      .def_prop_ro("types", &typesOf)
      .def_prop_ro("constants", &constantsOf)
      .def_prop_ro("divisible", &divisibleOf)
      .def("generate", &generate, nb::arg("kernel"));
  module.def("aot_write", &write, nb::arg("files"));
  module.def("aot_target", &readTarget, nb::arg("text"));
  module.def("aot_link", &link, nb::arg("headers"), nb::arg("out"));
  module.def("aot_bundle", &writeBundle, nb::arg("output"), nb::arg("kernels"), nb::arg("targets"), nb::arg("items"),
             nb::arg("key"));
}

} // namespace triton::python

// The extension module `triton._C`.
#include "ArrayReader.h"
#include "Bindings.h"
#include "DescriptorReader.h"
#include "JitFunction.h"
#include "JitLaunch.h"
#include "LaunchPlan.h"
#include "NumPyScalars.h"
#include "StorageOverlap.h"
#include "base/Version.h"
#include "compiler/BuildIdentity.h"
#include "compiler/KernelMetadata.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

/// (address, name of the element type) of an array, as a launch sees it.
static nb::tuple inspectArray(nb::handle object) {
  triton::python::ArrayView view;
  switch (triton::python::readArray(object.ptr(), view)) {
  case triton::python::ArrayRead::Found:
    return nb::make_tuple(reinterpret_cast<uintptr_t>(view.data), view.element.str());
  case triton::python::ArrayRead::Failed:
    throw nb::python_error();
  case triton::python::ArrayRead::NotAnArray:
  case triton::python::ArrayRead::Scalar:
    break;
  }
  PyErr_Format(PyExc_TypeError, "a `%s` is not an array", triton::python::typeName(object.ptr()).c_str());
  throw nb::python_error();
}

/// The spelling in signatures of a TensorDescriptor's type. Raises what is wrong with the descriptor.
static std::string descriptorType(nb::handle object) {
  triton::python::DescriptorView view;
  if (!triton::python::readDescriptor(object.ptr(), view))
    throw nb::python_error();
  return view.descriptor.type.str();
}

/// Whether an array says that its memory must not be written.
static bool isReadOnlyArray(nb::handle object) {
  triton::python::ArrayView view;
  if (triton::python::readArray(object.ptr(), view) == triton::python::ArrayRead::Failed)
    throw nb::python_error();
  return view.isReadOnly;
}

/// A NumPy scalar as Python's number; any other object unchanged.
static nb::object plainNumber(nb::handle object) {
  if (!triton::python::isNumPyScalar(object.ptr()))
    return nb::borrow(object);
  nb::object number = nb::steal(triton::python::plainNumber(object.ptr()).release());
  if (!number.is_valid())
    throw nb::python_error();
  return number;
}

/// The spelling in signatures of a type, which may go by any of its names; "" when the name is not a type's.
static std::string canonicalType(const std::string &name, int pointerDepth, bool isConst) {
  std::optional<triton::base::ScalarType> scalar = triton::base::parseScalarType(name);
  if (!scalar || scalar == triton::base::ScalarType::Void)
    return "";
  return triton::base::ElementType{*scalar, uint8_t(pointerDepth), isConst && pointerDepth > 0}.str();
}

NB_MODULE(_C, module) {
  using namespace triton::python;
  nb::set_leak_warnings(false); // kernels live in module globals, which the interpreter may drop without destroying
  if (!StateLock::setUp() || !registerJitTypes(module.ptr()) || !registerRunner() ||
      !registerStorageOverlap(module.ptr()))
    throw nb::python_error();
  registerKernel(module);
  registerOperationListing(module);
  module.def("set_launch_hooks_active", &setLaunchHooksActive, Locked());
  module.def("set_launch_settings", &setLaunchSettings, Locked());
  registerDevices(module);
  registerFolders(module);
  registerLinearLayout(module);
  registerPlacedLayouts(module);
  registerAot(module);
  registerCommandLine(module);
  registerExplorerPage(module);
  registerEncodings(module);
  registerProfiler(module);
  registerTimeEstimates(module);
  module.def("version", [] { return std::string(triton::base::version()); });
  module.def("build_identity", &triton::compiler::buildIdentity);
  module.attr("launch_format") = triton::compiler::launchFormat;
  module.def("inspect_array", &inspectArray, Locked());
  module.def("descriptor_type", &descriptorType, Locked());
  module.def("is_read_only_array", &isReadOnlyArray, Locked());
  module.def("plain_number", &::plainNumber, Locked(), nb::arg("value").none());
  module.def("canonical_type", &canonicalType, nb::arg("name"), nb::arg("pointer_depth"), nb::arg("is_const"));
}

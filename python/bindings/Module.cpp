// The extension module `triton._C`.
#include "ArrayReader.h"
#include "Bindings.h"
#include "JitFunction.h"

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
    break;
  }
  PyErr_Format(PyExc_TypeError, "a `%s` is not an array", Py_TYPE(object.ptr())->tp_name);
  throw nb::python_error();
}

/// The signature's spelling of a type by any of its names, "" when the name is none of a type.
static std::string canonicalType(const std::string &name, int pointerDepth, bool isConst) {
  std::optional<triton::base::ScalarType> scalar = triton::base::parseScalarType(name);
  if (!scalar || scalar == triton::base::ScalarType::Void)
    return "";
  return triton::base::ElementType{*scalar, uint8_t(pointerDepth), isConst && pointerDepth > 0}.str();
}

NB_MODULE(_C, module) {
  using namespace triton::python;
  nb::set_leak_warnings(false); // kernels live in module globals, which the interpreter may drop without destroying
  if (!registerJitTypes(module.ptr()))
    throw nb::python_error();
  registerKernel(module);
  module.def("set_launch_hooks_active", &setLaunchHooksActive);
  module.def("set_launch_settings", &setLaunchSettings);
  registerDevices(module);
  module.def("inspect_array", &inspectArray);
  module.def("canonical_type", &canonicalType, nb::arg("name"), nb::arg("pointer_depth"), nb::arg("is_const"));
}

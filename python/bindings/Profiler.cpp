// The native part of `triton.profiler`.
#include "Bindings.h"
#include "PythonReference.h"

#include "profiler/Context.h"
#include "profiler/CuptiLibrary.h"
#include "profiler/Profiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace triton::python {

using profiling::Metric;
using profiling::MetricValue;
using profiling::SessionId;

/// A number, a list of numbers, or a text.
static MetricValue metricValue(nb::handle value) {
  if (nb::isinstance<nb::str>(value))
    return nb::cast<std::string>(value);
  if (PyLong_Check(value.ptr()))
    return nb::cast<int64_t>(value);
  if (PyFloat_Check(value.ptr()))
    return nb::cast<double>(value);
  if (!nb::isinstance<nb::list>(value))
    throw nb::type_error("the value of a metric is a number or a list of numbers");
  nb::list list = nb::borrow<nb::list>(value);
  if (std::all_of(list.begin(), list.end(), [](nb::handle element) { return PyLong_Check(element.ptr()); }))
    return nb::cast<std::vector<int64_t>>(list);
  return nb::cast<std::vector<double>>(list);
}

static std::vector<Metric> metricsOf(const nb::dict &given) {
  std::vector<Metric> metrics;
  for (auto [name, value] : given)
    metrics.push_back(profiling::makeMetric(nb::cast<std::string>(name), metricValue(value)));
  return metrics;
}

/// "<file>:<line>@<function>".
static std::string describeFrame(PyFrameObject *frame) {
  Reference code = Reference::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  auto text = [&](const char *attribute) {
    Reference value = Reference::steal(PyObject_GetAttrString(code.get(), attribute));
    const char *characters = value ? textOf(value.get()) : nullptr;
    PyErr_Clear();
    return std::string(characters ? characters : "?");
  };
  return text("co_filename") + ":" + std::to_string(PyFrame_GetLineNumber(frame)) + "@" + text("co_name");
}

/// The Python frames of the calling thread, which need not have the GIL, without those of the package itself.
static std::vector<std::string> pythonFrames() {
  const char *hidden[] = {"/triton/profiler/", "/triton/runtime/", "/triton/knobs.py:"};
  std::vector<std::string> frames;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Reference frame = Reference::borrow(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
  while (frame && frame.get() != Py_None) {
    auto *pointer = reinterpret_cast<PyFrameObject *>(frame.get());
    std::string described = describeFrame(pointer);
    if (std::none_of(std::begin(hidden), std::end(hidden),
                     [&](const char *part) { return described.find(part) != std::string::npos; }))
      frames.push_back(std::move(described));
    frame = Reference::steal(PyObject_GetAttrString(frame.get(), "f_back"));
  }
  frame = {};
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(gil);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

static void registerSessions(nb::module_ &module) {
  module.def(
      "start",
      [](std::string name, std::string context, std::string data, std::string backend, std::string mode) {
        profiling::setFrameSource(&pythonFrames);
        nb::gil_scoped_release released; // callbacks of other threads may need it
        return profiling::start(
            {std::move(name), std::move(context), std::move(data), std::move(backend), std::move(mode)});
      },
      nb::arg("name"), nb::arg("context"), nb::arg("data"), nb::arg("backend"), nb::arg("mode"));
  module.def(
      "activate",
      [](std::optional<SessionId> session) {
        nb::gil_scoped_release released;
        profiling::activate(session);
      },
      nb::arg("session").none());
  module.def("add_cupti_folder", &profiling::cupti::addFolder);
  // What waits for a device lets other threads run, which its records may need.
  module.def(
      "deactivate",
      [](std::optional<SessionId> session, bool flushing) {
        nb::gil_scoped_release released;
        profiling::deactivate(session, flushing);
      },
      nb::arg("session").none(), nb::arg("flushing"));
  module.def(
      "finalize",
      [](std::optional<SessionId> session, const std::string &format) {
        nb::gil_scoped_release released;
        profiling::finalize(session, format);
      },
      nb::arg("session").none(), nb::arg("format"));
  module.def("has_sessions", &profiling::hasSessions);
  module.def("has_session", &profiling::hasSession);
  module.def("is_active", &profiling::isActive);
  module.def("instrumentation", &profiling::instrumentation);
  module.def("context_depth", &profiling::contextDepth);
}

static void registerData(nb::module_ &module) {
  module.def("phase_json", [](SessionId session, int64_t phase) {
    nb::gil_scoped_release released;
    return profiling::phaseAsJson(session, phase);
  });
  module.def("phase_msgpack", [](SessionId session, int64_t phase) {
    std::string bytes;
    {
      nb::gil_scoped_release released;
      bytes = profiling::phaseAsMessagePack(session, phase);
    }
    return nb::bytes(bytes.data(), bytes.size());
  });
  module.def("advance_phase", &profiling::advancePhase);
  module.def("is_phase_complete", [](SessionId session, int64_t phase) {
    nb::gil_scoped_release released;
    return profiling::isPhaseComplete(session, phase);
  });
  module.def("clear_phase", &profiling::clearPhase);
}

void registerProfiler(nb::module_ &package) {
  nb::module_ module = package.def_submodule("profiler");
  registerSessions(module);
  registerData(module);
  module.def("enter_scope", [](const std::string &name, const nb::dict &metrics) {
    return profiling::enterScope(name, metricsOf(metrics));
  });
  module.def("exit_scope", [](const std::string &name, const nb::dict &metrics) {
    return profiling::exitScope(name, metricsOf(metrics));
  });
  module.def("enter_state", [](const std::string &name) { profiling::enterState(name); });
  module.def("exit_state", &profiling::exitState);
  module.def("enter_operation", [](const std::string &name, const nb::dict &metrics) {
    profiling::enterOperation(name, metricsOf(metrics));
  });
  module.def("exit_operation", &profiling::exitOperation);
  nb::class_<profiling::MetricTarget>(module, "MetricTarget")
      .def_static("current", &profiling::MetricTarget::current)
      .def("add",
           [](const profiling::MetricTarget &target, const nb::dict &metrics) { target.add(metricsOf(metrics)); });
}

} // namespace triton::python

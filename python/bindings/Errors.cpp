#include "Errors.h"

#include "base/Diagnostics.h"
#include "compiler/Compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

using base::CompilationError;

static void setFromPackage(const char *className, const std::string &rendered, const std::string &message,
                           unsigned line, unsigned column) {
  nb::object type = nb::module_::import_("triton.compiler.errors").attr(className);
  nb::object error = type.attr("_of_compiler")(rendered, message, line, column);
  PyErr_SetObject(type.ptr(), error.ptr());
}

/// An exception of triton.runtime.errors, made of `arguments`.
static void setRuntimeError(const char *className, nb::tuple arguments) {
  nb::object type = nb::module_::import_("triton.runtime.errors").attr(className);
  nb::object error = type(*arguments);
  PyErr_SetObject(type.ptr(), error.ptr());
}

static const char *className(CompilationError::Kind kind) {
  switch (kind) {
  case CompilationError::Kind::General:
    return "CompilationError";
  case CompilationError::Kind::UnsupportedConstruct:
    return "UnsupportedLanguageConstruct";
  case CompilationError::Kind::StaticAssertion:
    return "CompileTimeAssertionFailure";
  case CompilationError::Kind::Toolchain:
    break; // an exception of the runtime
  }
  return "CompilationError";
}

static CompilationError::Kind kindOf(base::DiagnosticClass diagnosticClass) {
  switch (diagnosticClass) {
  case base::DiagnosticClass::UnsupportedConstruct:
    return CompilationError::Kind::UnsupportedConstruct;
  case base::DiagnosticClass::StaticAssertion:
    return CompilationError::Kind::StaticAssertion;
  default:
    return CompilationError::Kind::General;
  }
}

void setPythonError(std::exception_ptr exception) noexcept {
  try {
    try {
      std::rethrow_exception(exception);
    } catch (const CompilationError &error) {
      if (error.kind == CompilationError::Kind::Toolchain)
        setRuntimeError("PTXASError", nb::make_tuple(error.message));
      else
        setFromPackage(className(error.kind), error.what(), error.message, error.line, error.column);
    } catch (const base::DiagnosticError &error) {
      const base::Diagnostic &first = error.first();
      base::Location location = first.source ? first.source->location(first.range) : base::Location();
      setFromPackage(className(kindOf(first.info->diagnosticClass)), error.str(), first.message, location.line,
                     location.column);
    } catch (const base::InternalError &error) {
      setFromPackage("InternalError", error.what(), error.what(), 0, 0);
    } catch (const base::OutOfResourcesError &error) {
      setRuntimeError("OutOfResources", nb::make_tuple(error.required, error.limit, error.resource));
    } catch (const base::SimulationError &error) {
      setRuntimeError("SimulationError", nb::make_tuple(error.what(), nb::cast(error.findings)));
    }
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_SetString(PyExc_MemoryError, "there is not enough memory to compile or run the kernel");
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of an unknown kind");
  }
}

void setPythonError() noexcept { setPythonError(std::current_exception()); }

} // namespace triton::python

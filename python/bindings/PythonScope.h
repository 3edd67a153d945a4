// The free names of a Python function: its closure cells, then its module's globals. Read when the compiler asks, under
// the GIL, and remembered, because a kernel must not outlive the values that it was compiled with.
#pragma once

#include "PythonReference.h"

#include "frontend/Object.h"

#include <string>
#include <vector>

namespace triton::python {

/// A value that a kernel was compiled with: globals[name], or the contents of a closure cell.
struct Capture {
  Reference container; ///< a dict or a cell
  Reference name;
  Reference value;

  /// The object that the name denotes now; null when the name no longer exists.
  Reference current() const;
  /// Shows the references to Python's collector.
  int traverse(visitproc visit, void *arg) const;
};

class PythonScope : public frontend::Scope {
public:
  /// `function` is a Python function object, and `findUsed` returns the set of names that its code reads from outside.
  /// The compiler also asks for other names, such as those in annotations. These resolve only to modules and types, so
  /// that a value or kernel that happens to have the name of a local variable has no effect.
  PythonScope(PyObject *function, PyObject *findUsed);
  frontend::ObjectRef lookup(std::string_view name) override;
  bool holdsConstexpr(std::string_view name) override;

  const std::vector<Capture> &captures() const { return captured; }
  /// The kernels that lookups found, as Python objects.
  const std::vector<Reference> &callees() const { return called; }
  /// Shows every reference to Python's collector; the JITFunction that the scope belongs to calls it.
  int traverse(visitproc visit, void *arg) const;
  /// Drops every reference, any of which may be the last of a cycle. Afterwards no name is found.
  void clear();

private:
  Reference find(PyObject *name, PyObject *&container);
  bool isUsed(PyObject *name);
  void remember(PyObject *container, PyObject *name, PyObject *value);

  Reference globals, closure, freeNames, findUsed;
  Reference used; ///< null until a name is that of a value or a kernel, as few are
  std::vector<Capture> captured;
  std::vector<Reference> called;
};

} // namespace triton::python

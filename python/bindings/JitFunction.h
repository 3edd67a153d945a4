// The C part of `triton.JITFunction`: its state and its types. From the call `kernel[grid](...)` to the machine code, a
// launch runs in C (JitLaunch.h). Only a new specialization goes through Python (`JITFunction._compile`), which has
// the options, hooks and caches.
#pragma once

#include "ArgumentSpecializer.h"
#include "LaunchRecord.h"
#include "PythonReference.h"
#include "PythonScope.h"

#include "base/CompiledKernel.h"
#include "frontend/Object.h"
#include "runtime/Specialization.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace triton::python {

/// A compiled variant of a function, ready to run. A launch holds a reference of its own: Python code that runs during
/// the launch, on this thread or another, may make the function forget its variants. Counted under the GIL
/// (StateLock.h).
struct Variant : llvm::RefCountedBase<Variant> {
  std::vector<uint64_t> key;
  Reference kernel;                                     ///< the Python CompiledKernel
  std::shared_ptr<const base::CompiledKernel> compiled; ///< null: another package's, which Python launches
  int maxThreads = 0;
  std::vector<unsigned> ones;         ///< slots of `compiled` that get a 1, which the own variant of the class knows
  std::optional<LaunchRecord> record; ///< of the first launch that found this variant by its key
};
using VariantReference = llvm::IntrusiveRefCntPtr<Variant>;

struct Parameter {
  Reference name;         ///< interned
  Py_hash_t nameHash = 0; ///< a string keeps its hash, so that names are compared by it first
  Reference defaultValue; ///< null when there is none
};

/// The captures of all variants of a function and of the functions they call. A launch holds a reference of its own.
/// Counted under the GIL.
struct CaptureList : llvm::RefCountedBase<CaptureList> {
  explicit CaptureList(std::vector<Capture> captures) : captures(std::move(captures)) {}
  const std::vector<Capture> captures;
};

/// What the C type adds to a JITFunction; the Python class has the rest.
struct JitState {
  std::string name; ///< for messages
  std::vector<runtime::ParameterRule> rules;
  std::vector<Parameter> parameters;
  std::unordered_multimap<uint64_t, VariantReference> variants;
  VariantReference latest;                              ///< consecutive launches often use the same variant
  llvm::IntrusiveRefCntPtr<const CaptureList> captures; ///< null before the first compilation
  Reference hooks;                                      ///< the list of pre-run hooks
  std::shared_ptr<const frontend::Function> function;
  PythonScope *scope = nullptr; ///< owned by function

  /// Null when there is none.
  VariantReference find(const std::vector<uint64_t> &key, uint64_t hash);
};

struct JitObject {
  PyObject_HEAD JitState *state;
};

/// Creates the types; adds them to `module`. False with an exception.
bool registerJitTypes(PyObject *module);

bool isJitFunction(PyObject *object);
/// The compiler's form of a JITFunction, made when first asked for. Throws DiagnosticError when it does not parse.
std::shared_ptr<const frontend::Function> functionOf(PyObject *object);
/// The JITFunction of a function that functionOf returned; borrowed, None when it no longer exists.
PyObject *pythonFunctionOf(const frontend::Function &function);

/// The captures of `object` and of the functions it reaches, as of the compilations so far.
std::vector<Capture> allCaptures(PyObject *object);

/// Reads one extent of a grid. False with an exception.
bool parseExtent(PyObject *item, int32_t &extent);
/// Reads a grid: one to three integers. False with an exception.
bool parseGrid(PyObject *grid, std::array<int32_t, 3> &extents);
/// Runs the kernel with the GIL released. False with an exception.
bool runKernel(const base::CompiledKernel &kernel, const LaunchFrame &frame, const std::array<int32_t, 3> &grid,
               int maxThreads);

/// While it exists, launches of its thread in the simulator fill `memory` with what they access and how long it takes
/// (docs/explorer.md), also those that fail there.
class MappedLaunches {
public:
  explicit MappedLaunches(llvm::json::Object &memory);
  ~MappedLaunches();
  MappedLaunches(const MappedLaunches &) = delete;
  MappedLaunches &operator=(const MappedLaunches &) = delete;
};

} // namespace triton::python

#include "JitLaunch.h"
#include "Errors.h"
#include "Kernel.h"
#include "LaunchFrames.h"
#include "StorageOverlap.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

bool launchHooksActive = false;
uint64_t launchSettings = 0;

//===-- Binding -----------------------------------------------------------------------------------------------------===

/// The arguments of a call in the order of the parameters, and the options, which are what is left.
struct BoundCall {
  static constexpr size_t inlineCapacity = 32;
  PyObject *inlineValues[inlineCapacity];
  std::vector<PyObject *> manyValues;
  size_t count;
  PyObject **values = inlineValues;                       ///< by parameter, borrowed
  std::vector<std::pair<PyObject *, PyObject *>> options; ///< name, value; borrowed

  explicit BoundCall(size_t parameters) : count(parameters) {
    if (parameters > inlineCapacity) {
      manyValues.resize(parameters);
      values = manyValues.data();
    }
    std::fill_n(values, parameters, nullptr);
  }

  CallView view() const { return {{values, count}, options}; }
};

bool isNamed(const Parameter &parameter, PyObject *name, Py_hash_t hash) {
  return parameter.nameHash == hash &&
         (parameter.name.get() == name || PyUnicode_Compare(parameter.name.get(), name) == 0);
}

/// The parameter of that name, or the number of parameters. Calls mostly name arguments in the order of the parameters:
/// the search begins at `expected`. Hashes, because names that a program has put together are not interned.
size_t findParameter(const JitState &state, PyObject *name, size_t expected) {
  size_t count = state.parameters.size();
  Py_hash_t hash = hashOfText(name);
  for (size_t i = expected; i < count; ++i)
    if (isNamed(state.parameters[i], name, hash))
      return i;
  for (size_t i = 0; i < std::min(expected, count); ++i)
    if (isNamed(state.parameters[i], name, hash))
      return i;
  return count;
}

bool bindCall(const JitState &state, PyObject *const *arguments, size_t positional, PyObject *names, BoundCall &call) {
  size_t count = state.parameters.size();
  if (positional > count) {
    PyErr_Format(PyExc_TypeError, "`%s` takes %zu arguments, but %zu were given by position", state.name.c_str(), count,
                 positional);
    return false;
  }
  std::copy_n(arguments, positional, call.values);
  Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  size_t expected = positional;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i), *value = arguments[positional + size_t(i)];
    size_t parameter = findParameter(state, name, expected);
    if (parameter == count) {
      call.options.emplace_back(name, value);
    } else if (call.values[parameter]) {
      PyErr_Format(PyExc_TypeError, "`%s` got two values for parameter `%U`, one by position and one by name",
                   state.name.c_str(), name);
      return false;
    } else {
      call.values[parameter] = value;
      expected = parameter + 1;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (call.values[i])
      continue;
    call.values[i] = state.parameters[i].defaultValue.get();
    if (!call.values[i]) {
      PyErr_Format(PyExc_TypeError, "`%s` lacks an argument for parameter `%U`, which has no default",
                   state.name.c_str(), state.parameters[i].name.get());
      return false;
    }
  }
  return true;
}

Reference boundArguments(const JitState &state, const BoundCall &call) {
  Reference dict = Reference::steal(PyDict_New());
  for (size_t i = 0; dict && i < state.parameters.size(); ++i)
    if (PyDict_SetItem(dict.get(), state.parameters[i].name.get(), call.values[i]) != 0)
      return Reference();
  return dict;
}

Reference optionDict(const BoundCall &call) {
  Reference dict = Reference::steal(PyDict_New());
  for (const auto &[name, value] : call.options)
    if (!dict || PyDict_SetItem(dict.get(), name, value) != 0)
      return Reference();
  return dict;
}

//===-- Launching ---------------------------------------------------------------------------------------------------===

/// What belongs to every key besides the arguments and options. Both numbers are small.
uint64_t settingsWord() { return launchSettings << 32 | activeTargetIdentity(); }

bool specializeCall(const JitState &state, const BoundCall &call, LaunchFrame &frame) {
  for (size_t i = 0; i < state.rules.size(); ++i)
    if (!specialize(state.rules[i], call.values[i], frame))
      return false;
  for (const auto &[name, value] : call.options) {
    if (!appendToKey(name, frame) || !appendToKey(value, frame))
      return false;
  }
  frame.specialized.key.push_back(settingsWord());
  return true;
}

/// The slots of a kernel's arguments with these names. False if it does not have one of them.
bool findOnes(const base::CompiledKernel &kernel, nb::handle names, std::vector<unsigned> &ones) {
  for (nb::handle name : names) {
    auto found = llvm::find_if(kernel.arguments, [text = nb::cast<std::string>(name)](
                                                     const base::RuntimeArgument &each) { return each.name == text; });
    if (found == kernel.arguments.end())
      return false;
    ones.push_back(unsigned(found - kernel.arguments.begin()));
  }
  llvm::sort(ones);
  return true;
}

/// Adds to a frame of the class's own arguments what a variant that stands in for its own one gets besides.
void addOnes(const Variant &variant, LaunchFrame &frame) {
  for (unsigned slot : variant.ones) {
    frame.specialized.slots.insert(frame.specialized.slots.begin() + slot, 1);
    auto shift = [slot](unsigned &other) { other += other >= slot; };
    for (base::ArrayExtent &array : frame.arrays)
      shift(array.argument);
    for (LaunchFrame::Pointer &pointer : frame.pointers)
      shift(pointer.slot);
    llvm::for_each(frame.readOnly, shift);
    llvm::for_each(frame.lackMemory, shift);
  }
}

/// Compiles the variant through Python, for arguments in the numbered storages, or each in its own. Null when a hook
/// asked to skip the launch. Null also while the kernel is compiled elsewhere: then `pending` is its FutureKernel,
/// which only warm-ups get. Throws.
VariantReference compileVariant(JitObject *function, const BoundCall &call, const LaunchFrame &frame, uint64_t hash,
                                bool isWarmup, nb::object &pending, std::span<const int> storages = {}) {
  JitState &state = *function->state;
  ArgumentList described{describeArguments(state.rules, frame), {}};
  for (const runtime::ParameterRule &rule : state.rules)
    described.declared.push_back(rule.isConstexpr);
  setStorages(described.arguments, storages);
  nb::object arguments = nb::cast(std::move(described));
  nb::object options = nb::steal(optionDict(call).release());
  if (!options.is_valid())
    throw nb::python_error();
  nb::object values = nb::steal(boundArguments(state, call).release());
  if (!values.is_valid())
    throw nb::python_error();
  nb::handle self(reinterpret_cast<PyObject *>(function));
  nb::object kernel = self.attr("_compile")(arguments, options, isWarmup, values);
  if (kernel.is_none())
    return nullptr;
  if (isWarmup && nb::isinstance(kernel, nb::module_::import_("triton.runtime._async_compile").attr("FutureKernel"))) {
    pending = kernel;
    return nullptr;
  }
  VariantReference variant(new Variant());
  variant->key = frame.specialized.key;
  variant->kernel = Reference::borrow(kernel.ptr());
  if (nb::object own = kernel.attr("_handle"); !own.is_none()) {
    const KernelHandle &handle = nb::cast<const KernelHandle &>(own);
    if (nb::object ones = nb::getattr(kernel, "_ones", nb::none());
        ones.is_none() || findOnes(*handle.compiled, ones, variant->ones)) {
      variant->compiled = handle.compiled;
      variant->maxThreads = handle.maxThreads;
    }
  }
  state.captures = new CaptureList(allCaptures(reinterpret_cast<PyObject *>(function)));
  if (VariantReference other = state.find(variant->key, hash)) // another thread compiled it first
    return other;
  return state.variants.emplace(hash, std::move(variant))->second;
}

/// Whether global and captured names still have the values with which the variants were compiled.
bool checkCaptures(const JitState &state) {
  auto list = state.captures; // held, because comparing may run code that makes the function forget it
  if (!list)
    return true;
  for (const Capture &capture : list->captures) {
    Reference now = capture.current();
    if (now.get() == capture.value.get()) [[likely]]
      continue;
    if (now && PyObject_RichCompareBool(now.get(), capture.value.get(), Py_EQ) == 1)
      continue;
    PyErr_Clear();
    PyErr_Format(PyExc_RuntimeError,
                 "`%U`, which `%s` was compiled with, has changed from %R to %R; pass it as an argument or make it a "
                 "constant",
                 capture.name.get(), state.name.c_str(), capture.value.get(), now ? now.get() : Py_None);
    return false;
  }
  return true;
}

bool callPreRunHooks(const JitState &state, PyObject *const *arguments, size_t positional, PyObject *names) {
  if (!state.hooks || PyList_GET_SIZE(state.hooks.get()) == 0) [[likely]]
    return true;
  Reference hooks = Reference::steal(PySequence_Tuple(state.hooks.get()));
  for (Py_ssize_t i = 0; hooks && i < PyTuple_GET_SIZE(hooks.get()); ++i)
    if (!Reference::steal(PyObject_Vectorcall(PyTuple_GET_ITEM(hooks.get(), i), arguments, positional, names)))
      return false;
  return bool(hooks);
}

bool callLaunchHook(JitObject *function, const char *which, const Variant &variant, PyObject *grid,
                    const BoundCall &call) {
  Reference bound = boundArguments(*function->state, call);
  return bound && Reference::steal(PyObject_CallMethod(reinterpret_cast<PyObject *>(function), "_call_launch_hook",
                                                       "sOOO", which, variant.kernel.get(), grid, bound.get()));
}

/// Launches through the driver of another package, which also calls the hooks.
bool runElsewhere(JitObject *function, const Variant &variant, const std::array<int32_t, 3> &grid,
                  const BoundCall &call) {
  Reference bound = boundArguments(*function->state, call);
  return bound && Reference::steal(PyObject_CallMethod(variant.kernel.get(), "_launch", "(iii)O", grid[0], grid[1],
                                                       grid[2], bound.get()));
}

/// Runs a variant; `grid` may be a function of the bound arguments.
bool runVariant(JitObject *function, Variant &variant, PyObject *grid, const BoundCall &call,
                const LaunchFrame &frame) {
  Reference computed;
  if (PyCallable_Check(grid)) {
    Reference bound = boundArguments(*function->state, call);
    computed = Reference::steal(bound ? callWith(grid, bound.get()) : nullptr);
    if (!computed)
      return false;
    grid = computed.get();
  }
  std::array<int32_t, 3> extents;
  if (!parseGrid(grid, extents))
    return false;
  if (extents[0] == 0 || extents[1] == 0 || extents[2] == 0)
    return true;
  if (!variant.compiled) [[unlikely]]
    return runElsewhere(function, variant, extents, call);
  if (launchHooksActive && !callLaunchHook(function, "enter", variant, grid, call))
    return false;
  if (!runKernel(*variant.compiled, frame, extents, variant.maxThreads))
    return false;
  return !launchHooksActive || callLaunchHook(function, "exit", variant, grid, call);
}

/// Finds the variant by its key, or compiles it. Null as compileVariant returns it, or with an exception. Throws.
VariantReference selectVariant(JitObject *function, const BoundCall &call, LaunchFrame &frame, bool isWarmup,
                               nb::object &pending) {
  JitState &state = *function->state;
  if (!specializeCall(state, call, frame))
    return nullptr;
  VariantReference variant = state.latest;
  if (!variant || variant->key != frame.specialized.key) {
    uint64_t hash = runtime::hashKey(frame.specialized.key);
    variant = state.find(frame.specialized.key, hash);
    if (!variant)
      return compileVariant(function, call, frame, hash, isWarmup, pending);
  }
  if (!variant->record) {
    LaunchRecord record(state.rules, call.view(), frame.device, frame.ranges, settingsWord());
    if (!variant->record) // another thread may have come in between
      variant->record = std::move(record);
  }
  return variant;
}

/// The variant that the record of the latest one leads to, with the frame's slots, or null and a frame without
/// arguments.
VariantReference recallVariant(JitState &state, const BoundCall &call, LaunchFrame &frame) {
  VariantReference variant = state.latest;
  if (!variant || !variant->record)
    return nullptr;
  switch (variant->record->replay(state.rules, call.view(), settingsWord(), variant->key, frame)) {
  case LaunchRecord::Match::Variant:
    return variant;
  case LaunchRecord::Match::Key:
    variant = state.find(frame.specialized.key, runtime::hashKey(frame.specialized.key));
    if (variant && variant->record)
      return state.latest = variant;
    frame.clearArguments();
    return nullptr;
  case LaunchRecord::Match::None:
    break;
  }
  return nullptr;
}

/// The variant for arrays that overlap although `variant` supposes that they do not; otherwise `variant` itself. The
/// frame has its arguments then. Null as compileVariant returns it. Throws.
VariantReference avoidOverlap(JitObject *function, const BoundCall &call, LaunchFrame &frame,
                              VariantReference variant) {
  addOnes(*variant, frame);
  if (!variant->compiled || variant->compiled->results.disjointPairs.empty() || !overlap(*variant->compiled, frame))
      [[likely]]
    return variant;
  frame.clearArguments(); // A replayed launch has no key.
  if (!specializeCall(*function->state, call, frame))
    return nullptr;
  std::vector<int> storages = numberStorages(frame);
  std::vector<uint64_t> &key = frame.specialized.key;
  key.insert(key.end(), storages.begin(), storages.end());
  uint64_t hash = runtime::hashKey(key);
  VariantReference found = function->state->find(key, hash);
  nb::object pending;
  if (!found)
    found = compileVariant(function, call, frame, hash, /*isWarmup=*/false, pending, storages);
  if (found)
    addOnes(*found, frame);
  return found;
}

} // namespace

PyObject *launch(JitObject *function, PyObject *grid, PyObject *const *arguments, size_t positional, PyObject *names,
                 bool isWarmup) {
  JitState &state = *function->state;
  if (!callPreRunHooks(state, arguments, positional, names))
    return nullptr;
  BoundCall call(state.parameters.size());
  if (!bindCall(state, arguments, positional, names, call))
    return nullptr;
  FrameScope scope;
  LaunchFrame &frame = scope.frame;
  frame.device = activeLaunchDevice();
  if (frame.device == LaunchDevice::Undecided) [[unlikely]]
    return nullptr;
  frame.ranges = activeTargetRanges();
  VariantReference variant = recallVariant(state, call, frame);
  if (!variant) {
    nb::object pending;
    variant = selectVariant(function, call, frame, isWarmup, pending);
    if (!variant)
      return PyErr_Occurred() ? nullptr : pending.is_valid() ? pending.release().ptr() : Py_NewRef(Py_None);
    state.latest = variant;
  }
  if (!isWarmup) {
    variant = avoidOverlap(function, call, frame, variant);
    if (!variant)
      return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
  }
  if (!checkCaptures(state))
    return nullptr;
  if (!isWarmup && !runVariant(function, *variant, grid, call, frame))
    return nullptr;
  return Py_NewRef(variant->kernel.get());
}

void setLaunchHooksActive(bool active) { launchHooksActive = active; }
void setLaunchSettings(uint64_t settings) { launchSettings = settings; }

} // namespace triton::python

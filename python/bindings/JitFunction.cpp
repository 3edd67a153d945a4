#include "JitFunction.h"
#include "Errors.h"
#include "Kernel.h"
#include "LaunchFrames.h"
#include "Objects.h"
#include "StateLock.h"
#include "StorageOverlap.h"

#include "frontend/Parser.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

PyTypeObject *jitType = nullptr;
PyTypeObject *launcherType = nullptr;
bool launchHooksActive = false;
uint64_t launchSettings = 0;
PyObject *gridName = nullptr, *warmupName = nullptr; // interned

struct LauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  JitObject *function;
  PyObject *grid;
};
LauncherObject *spareLauncher = nullptr; ///< the last one freed: `kernel[grid](...)` makes one for each launch
#ifdef Py_GIL_DISABLED
constexpr bool keepsLauncher = false; // another thread may still look at a freed object
#else
constexpr bool keepsLauncher = true;
#endif

JitState &stateOf(PyObject *object) { return *reinterpret_cast<JitObject *>(object)->state; }

std::unordered_map<const frontend::Function *, PyObject *> &pythonFunctions() {
  static auto &functions = *new std::unordered_map<const frontend::Function *, PyObject *>();
  return functions;
}

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

/// The parameter of that name. Names of arguments are interned, so that comparing their addresses is nearly always
/// enough.
size_t findParameter(const JitState &state, PyObject *name) {
  size_t count = state.parameters.size();
  for (size_t i = 0; i < count; ++i)
    if (state.parameters[i].name.get() == name)
      return i;
  for (size_t i = 0; i < count; ++i)
    if (PyUnicode_Compare(state.parameters[i].name.get(), name) == 0)
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
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i), *value = arguments[positional + size_t(i)];
    size_t parameter = findParameter(state, name);
    if (parameter == count) {
      call.options.emplace_back(name, value);
    } else if (call.values[parameter]) {
      PyErr_Format(PyExc_TypeError, "`%s` got two values for parameter `%U`, one by position and one by name",
                   state.name.c_str(), name);
      return false;
    } else {
      call.values[parameter] = value;
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

/// Compiles the variant through Python, for arguments in the numbered storages, or each in its own. Null when a hook
/// asked to skip the launch. Null also while the kernel is compiled elsewhere: then `pending` is its FutureKernel,
/// which only warm-ups get. Throws.
VariantReference compileVariant(JitObject *function, const BoundCall &call, const LaunchFrame &frame, uint64_t hash,
                                bool isWarmup, nb::object &pending, std::span<const int> storages = {}) {
  JitState &state = *function->state;
  ArgumentList described{describeArguments(state.rules, frame)};
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
    variant->compiled = handle.compiled;
    variant->maxThreads = handle.maxThreads;
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

/// The variant for arrays that overlap although `variant` supposes that they do not; otherwise `variant` itself. Null
/// as compileVariant returns it. Throws.
VariantReference avoidOverlap(JitObject *function, const BoundCall &call, LaunchFrame &frame,
                              VariantReference variant) {
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
  if (VariantReference found = function->state->find(key, hash))
    return found;
  nb::object pending;
  return compileVariant(function, call, frame, hash, /*isWarmup=*/false, pending, storages);
}

/// A call of `function` over `grid`; compiles only when `isWarmup`. New reference to the CompiledKernel. Throws.
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
  VariantReference variant = state.latest;
  if (!variant || !variant->record || !variant->record->replay(state.rules, call.view(), settingsWord(), frame)) {
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

//===-- The launcher, `kernel[grid]` --------------------------------------------------------------------------------===

PyObject *callLauncher(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  return translateErrors([&] {
    return launch(launcher->function, launcher->grid, arguments, size_t(PyVectorcall_NARGS(flags)), names,
                  /*isWarmup=*/false);
  });
}

PyObject *makeLauncher(PyObject *function, PyObject *grid) {
  LauncherObject *launcher = keepsLauncher ? std::exchange(spareLauncher, nullptr) : nullptr;
  if (launcher) {
    PyObject_Init(reinterpret_cast<PyObject *>(launcher), launcherType);
  } else {
    launcher = PyObject_New(LauncherObject, launcherType);
    if (!launcher)
      return nullptr;
  }
  launcher->vectorcall = callLauncher;
  launcher->function = reinterpret_cast<JitObject *>(Py_NewRef(function));
  launcher->grid = Py_NewRef(grid);
  return reinterpret_cast<PyObject *>(launcher);
}

void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  Py_DECREF(reinterpret_cast<PyObject *>(launcher->function));
  Py_DECREF(launcher->grid);
  if (keepsLauncher && !spareLauncher)
    spareLauncher = launcher;
  else
    PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject *>(launcherType));
}

PyMemberDef launcherMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot launcherSlots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                               {Py_tp_dealloc, reinterpret_cast<void *>(freeLauncher)},
                               {Py_tp_members, launcherMembers},
                               {0, nullptr}};

PyType_Spec launcherSpec = {"triton._C.Launcher", sizeof(LauncherObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            launcherSlots};

//===-- The base of JITFunction -------------------------------------------------------------------------------------===

PyObject *newJit(PyTypeObject *type, PyObject *, PyObject *) {
  return translateErrors([&] {
    auto state = std::make_unique<JitState>();
    auto *self = reinterpret_cast<JitObject *>(PyType_GenericAlloc(type, 0));
    if (self)
      self->state = state.release();
    return reinterpret_cast<PyObject *>(self);
  });
}

int traverseJit(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (JitState *state = reinterpret_cast<JitObject *>(self)->state) {
    for (const Parameter &parameter : state->parameters)
      Py_VISIT(parameter.defaultValue.get());
    for (const auto &[hash, variant] : state->variants)
      Py_VISIT(variant->kernel.get());
    if (state->captures)
      for (const Capture &capture : state->captures->captures)
        if (int result = capture.traverse(visit, arg))
          return result;
    Py_VISIT(state->hooks.get());
    if (state->scope)
      return state->scope->traverse(visit, arg);
  }
  return 0;
}

/// Drops the compiled variants. Destroying them may run Python code, which then finds no variants.
void forgetVariants(JitState &state) {
  state.latest = nullptr;
  auto variants = std::exchange(state.variants, {});
  auto captures = std::exchange(state.captures, nullptr);
}

/// For the collector, once nothing can call the function any more.
int clearJit(PyObject *self) {
  StateLock lock;
  JitState &state = stateOf(self);
  forgetVariants(state);
  if (state.scope)
    state.scope->clear();
  return 0;
}

void freeJit(PyObject *self) {
  StateLock lock;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  JitState *state = std::exchange(reinterpret_cast<JitObject *>(self)->state, nullptr);
  if (state->function)
    pythonFunctions().erase(state->function.get());
  delete state;
  PyObject_GC_Del(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

/// `_configure(name, parameters, hooks)`. Each parameter is (name, a tuple that holds its default if it has one,
/// is constexpr, is const, do not specialize, do not specialize on alignment, type or None). Throws.
PyObject *configure(PyObject *self, PyObject *args) {
  const char *name;
  PyObject *parameters, *hooks;
  if (!PyArg_ParseTuple(args, "sO!O!", &name, &PyList_Type, &parameters, &PyList_Type, &hooks))
    return nullptr;
  JitState &state = stateOf(self);
  state.name = name;
  state.hooks = Reference::borrow(hooks);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parameters); ++i) {
    PyObject *parameterName, *defaults;
    int isConstexpr, isConst, doNotSpecialize, doNotSpecializeOnAlignment;
    const char *type;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(parameters, i), "UO!ppppz", &parameterName, &PyTuple_Type, &defaults,
                          &isConstexpr, &isConst, &doNotSpecialize, &doNotSpecializeOnAlignment, &type))
      return nullptr;
    runtime::ParameterRule rule;
    rule.name = textOf(parameterName);
    rule.isConstexpr = isConstexpr;
    rule.isConst = isConst;
    rule.doNotSpecialize = doNotSpecialize;
    rule.doNotSpecializeOnAlignment = doNotSpecializeOnAlignment;
    if (type)
      rule.type = base::parseElementType(type);
    PyObject *interned = Py_NewRef(parameterName);
    PyUnicode_InternInPlace(&interned);
    Parameter parameter{Reference::steal(interned), Reference()};
    if (PyTuple_GET_SIZE(defaults) == 1)
      parameter.defaultValue = Reference::borrow(PyTuple_GET_ITEM(defaults, 0));
    state.rules.push_back(std::move(rule));
    state.parameters.push_back(std::move(parameter));
  }
  Py_RETURN_NONE;
}

/// Takes `grid` and `warmup` out of the keywords, then launches: `run(*args, grid=..., warmup=..., **options)`. Throws.
PyObject *run(PyObject *self, PyObject *const *arguments, Py_ssize_t positional, PyObject *names) {
  bool isWarmup = false;
  Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  std::vector<PyObject *> values(arguments, arguments + positional);
  std::vector<PyObject *> kept;
  PyObject *grid = Py_None;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i), *value = arguments[positional + i];
    if (PyUnicode_Compare(name, gridName) == 0) {
      grid = value;
    } else if (PyUnicode_Compare(name, warmupName) == 0) {
      int truth = PyObject_IsTrue(value);
      if (truth < 0)
        return nullptr;
      isWarmup = truth == 1;
    } else {
      kept.push_back(name);
      values.push_back(value);
    }
  }
  Reference keptNames = Reference::steal(PyTuple_New(Py_ssize_t(kept.size())));
  for (size_t i = 0; keptNames && i < kept.size(); ++i)
    PyTuple_SET_ITEM(keptNames.get(), Py_ssize_t(i), Py_NewRef(kept[i]));
  if (!keptNames)
    return nullptr;
  return launch(reinterpret_cast<JitObject *>(self), grid, values.data(), size_t(positional), keptNames.get(),
                isWarmup);
}

/// Forgets the compiled variants and the parsed source. Compilations and launches in progress keep what they use.
PyObject *reset(PyObject *self, PyObject *) {
  StateLock lock;
  JitState &state = stateOf(self);
  forgetVariants(state);
  if (state.function)
    pythonFunctions().erase(state.function.get());
  state.scope = nullptr;
  auto function = std::exchange(state.function, nullptr);
  Py_RETURN_NONE;
}

/// `_forget_variant(kernel)`: launches of its class ask for a variant again. A launch in progress keeps what it uses.
PyObject *forgetVariant(PyObject *self, PyObject *kernel) {
  JitState &state = stateOf(self);
  auto found = llvm::find_if(state.variants, [&](const auto &entry) { return entry.second->kernel.get() == kernel; });
  if (found != state.variants.end()) {
    VariantReference variant = found->second; // Destroying it may run Python code, which then does not find it.
    state.variants.erase(found);
    if (state.latest == variant)
      state.latest = nullptr;
  }
  Py_RETURN_NONE;
}

/// `_captures()`: [(name, value)], as of the compilations so far.
PyObject *captures(PyObject *self, PyObject *) {
  return translateErrors([&]() -> PyObject * {
    std::vector<Capture> all = allCaptures(self);
    Reference list = Reference::steal(PyList_New(0));
    for (const Capture &capture : all) {
      Reference pair = Reference::steal(PyTuple_Pack(2, capture.name.get(), capture.value.get()));
      if (!list || !pair || PyList_Append(list.get(), pair.get()) != 0)
        return nullptr;
    }
    return list.release();
  });
}

PyObject *configureSlot(PyObject *self, PyObject *args) {
  return translateErrors([&] { return configure(self, args); });
}

PyObject *runSlot(PyObject *self, PyObject *const *arguments, Py_ssize_t positional, PyObject *names) {
  return translateErrors([&] { return run(self, arguments, positional, names); });
}

PyMethodDef jitMethods[] = {
    {"_configure", configureSlot, METH_VARARGS, nullptr},
    {"_reset", reset, METH_NOARGS, nullptr},
    {"_forget_variant", forgetVariant, METH_O, nullptr},
    {"_captures", captures, METH_NOARGS, nullptr},
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(runSlot)), METH_FASTCALL | METH_KEYWORDS,
     "run(*args, grid, warmup=False, **options): launches over `grid`, or only compiles when `warmup` is true."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot jitSlots[] = {{Py_tp_new, reinterpret_cast<void *>(newJit)},
                          {Py_tp_dealloc, reinterpret_cast<void *>(freeJit)},
                          {Py_tp_traverse, reinterpret_cast<void *>(traverseJit)},
                          {Py_tp_clear, reinterpret_cast<void *>(clearJit)},
                          {Py_tp_methods, jitMethods},
                          {Py_mp_subscript, reinterpret_cast<void *>(makeLauncher)},
                          {0, nullptr}};

PyType_Spec jitSpec = {"triton._C.JITFunctionBase", sizeof(JitObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, jitSlots};

std::map<std::string, frontend::ObjectRef> defaultObjects(const JitState &state) {
  std::map<std::string, frontend::ObjectRef> defaults;
  for (size_t i = 0; i < state.parameters.size(); ++i)
    if (PyObject *value = state.parameters[i].defaultValue.get())
      defaults.emplace(state.rules[i].name, toObject(value));
  return defaults;
}

void collectCaptures(PyObject *object, std::vector<PyObject *> &seen, std::vector<Capture> &captures) {
  if (std::find(seen.begin(), seen.end(), object) != seen.end())
    return;
  seen.push_back(object);
  const JitState &state = stateOf(object);
  if (!state.scope)
    return;
  captures.insert(captures.end(), state.scope->captures().begin(), state.scope->captures().end());
  for (const Reference &callee : state.scope->callees())
    collectCaptures(callee.get(), seen, captures);
}

} // namespace

VariantReference JitState::find(const std::vector<uint64_t> &key, uint64_t hash) {
  auto [begin, end] = variants.equal_range(hash);
  for (auto found = begin; found != end; ++found)
    if (found->second->key == key)
      return found->second;
  return nullptr;
}

bool isJitFunction(PyObject *object) { return PyObject_TypeCheck(object, jitType) != 0; }

std::shared_ptr<const frontend::Function> functionOf(PyObject *object) {
  JitState &state = stateOf(object);
  if (state.function)
    return state.function;
  nb::handle self(object);
  nb::object pythonFunction = self.attr("fn");
  frontend::ParsedFunction parsed = frontend::parseFunction(
      nb::cast<std::string>(self.attr("file_name")), nb::cast<std::string>(self.attr("_source_text")),
      nb::cast<unsigned>(self.attr("_first_line")), nb::cast<unsigned>(self.attr("_column_offset")));
  auto function = std::make_shared<frontend::Function>();
  function->name = nb::cast<std::string>(pythonFunction.attr("__name__"));
  function->qualifiedName = nb::cast<std::string>(pythonFunction.attr("__qualname__"));
  function->source = parsed.source;
  function->definition = parsed.definition;
  nb::object used = self.attr("_outside_names")();
  auto scope = std::make_shared<PythonScope>(pythonFunction.ptr(), used.ptr());
  function->scope = scope;
  function->noInline = nb::cast<bool>(nb::bool_(self.attr("noinline")));
  function->isGluon = nb::cast<bool>(self.attr("is_gluon")());
  if (function->isGluon) {
    frontend::ObjectRef layouts = toObject(nb::object(self.attr("layout_class")).ptr());
    function->layoutReader = (*layouts->get<std::shared_ptr<const frontend::HostObject>>())->attribute("from_ir_text");
  }
  function->defaults = defaultObjects(state);
  if (state.function) // another thread made it first
    return state.function;
  state.scope = scope.get();
  state.function = function;
  pythonFunctions()[function.get()] = object;
  return function;
}

PyObject *pythonFunctionOf(const frontend::Function &function) {
  auto found = pythonFunctions().find(&function);
  return found == pythonFunctions().end() ? Py_None : found->second;
}

std::vector<Capture> allCaptures(PyObject *object) {
  std::vector<PyObject *> seen;
  std::vector<Capture> captures;
  collectCaptures(object, seen, captures);
  return captures;
}

void setLaunchHooksActive(bool active) { launchHooksActive = active; }
void setLaunchSettings(uint64_t settings) { launchSettings = settings; }

bool registerJitTypes(PyObject *module) {
  gridName = PyUnicode_InternFromString("grid");
  warmupName = PyUnicode_InternFromString("warmup");
  jitType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&jitSpec));
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return jitType && launcherType &&
         PyModule_AddObjectRef(module, "JITFunctionBase", reinterpret_cast<PyObject *>(jitType)) == 0 &&
         PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) == 0;
}

} // namespace triton::python

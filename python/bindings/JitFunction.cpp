#include "JitFunction.h"
#include "Errors.h"
#include "JitLaunch.h"
#include "Objects.h"
#include "StateLock.h"

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
/// is constexpr, is const, do not specialize, do not specialize on alignment, is invariant, type or None). Throws.
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
    int isConstexpr, isConst, doNotSpecialize, doNotSpecializeOnAlignment, isInvariant;
    const char *type;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(parameters, i), "UO!pppppz", &parameterName, &PyTuple_Type, &defaults,
                          &isConstexpr, &isConst, &doNotSpecialize, &doNotSpecializeOnAlignment, &isInvariant, &type))
      return nullptr;
    runtime::ParameterRule rule;
    rule.name = textOf(parameterName);
    rule.isConstexpr = isConstexpr;
    rule.isConst = isConst;
    rule.doNotSpecialize = doNotSpecialize;
    rule.doNotSpecializeOnAlignment = doNotSpecializeOnAlignment;
    rule.isInvariant = isInvariant;
    if (type)
      rule.type = base::parseElementType(type);
    PyObject *interned = Py_NewRef(parameterName);
    PyUnicode_InternInPlace(&interned);
    Parameter parameter{Reference::steal(interned), hashOfText(interned), Reference()};
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
  frontend::UnparsedFunction unparsed = frontend::parseFunctionLater(
      nb::cast<std::string>(self.attr("file_name")), nb::cast<std::string>(self.attr("_source_text")),
      nb::cast<unsigned>(self.attr("_first_line")), nb::cast<unsigned>(self.attr("_column_offset")));
  auto function = std::make_shared<frontend::Function>();
  function->name = nb::cast<std::string>(pythonFunction.attr("__name__"));
  function->qualifiedName = nb::cast<std::string>(pythonFunction.attr("__qualname__"));
  function->source = unparsed.source;
  function->definition = unparsed.definition;
  function->place = unparsed.place;
  nb::object findUsed = self.attr("_find_outside_names")();
  auto scope = std::make_shared<PythonScope>(pythonFunction.ptr(), findUsed.ptr());
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

#include "LaunchPlan.h"
#include "DescriptorReader.h"
#include "Errors.h"
#include "JitFunction.h"
#include "LaunchFrames.h"
#include "StorageOverlap.h"

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <cmath>

namespace nb = nanobind;

namespace triton::python {

static PlannedArgument planned(const std::string &name, base::ElementType type) {
  PlannedArgument argument;
  argument.rule.name = name;
  argument.rule.type = type;
  argument.rule.doNotSpecialize = true;
  return argument;
}

static std::optional<std::variant<int64_t, double>> numberIn(const frontend::Object &constant) {
  if (const auto *truth = constant.get<bool>())
    return int64_t(*truth);
  if (const auto *real = constant.get<double>())
    return *real;
  const auto *integer = constant.get<llvm::APSInt>();
  if (!integer || !integer->isRepresentableByInt64())
    return std::nullopt;
  return integer->getExtValue();
}

static PlannedArgument planned(const compiler::Argument &parameter) {
  PlannedArgument argument = planned(parameter.name, parameter.type);
  argument.isConstant = parameter.constant != nullptr;
  if (argument.isConstant)
    argument.number = numberIn(*parameter.constant);
  argument.isTuple = parameter.isTuple;
  if ((argument.descriptor = parameter.descriptor))
    argument.rule.type = std::nullopt;
  if (argument.isTuple)
    for (const compiler::Argument &element : parameter.elements)
      argument.elements.push_back(planned(element));
  return argument;
}

/// The inverse of `describe` for one argument (name, type or None, elements or None, number or None, isDeclared).
static PlannedArgument planned(nb::handle described) {
  PlannedArgument argument;
  argument.rule.name = nb::cast<std::string>(described[0]);
  argument.rule.doNotSpecialize = true;
  argument.isTuple = !described[2].is_none();
  argument.isConstant = !argument.isTuple && described[1].is_none();
  argument.isDeclared = nb::cast<bool>(described[4]);
  if (nb::isinstance<nb::float_>(described[3]))
    argument.number = nb::cast<double>(described[3]);
  else if (!described[3].is_none())
    argument.number = nb::cast<int64_t>(described[3]);
  if (argument.isTuple)
    for (nb::handle element : described[2])
      argument.elements.push_back(planned(element));
  else if (!argument.isConstant &&
           !(argument.descriptor = base::parseDescriptorType(nb::cast<std::string>(described[1]))))
    argument.rule.type = base::parseElementType(nb::cast<std::string>(described[1]));
  return argument;
}

static nb::object describe(const PlannedArgument &argument) {
  auto text = [](const std::string &spelling) { return nb::object(nb::str(spelling.c_str())); };
  nb::object number = nb::none();
  if (argument.number)
    number = std::visit([](auto value) { return nb::cast(value); }, *argument.number);
  if (!argument.isTuple)
    return nb::make_tuple(argument.rule.name,
                          argument.isConstant   ? nb::none()
                          : argument.descriptor ? text(argument.descriptor->str())
                                                : text(argument.rule.type->str()),
                          nb::none(), number, argument.isDeclared);
  nb::list elements;
  for (const PlannedArgument &element : argument.elements)
    elements.append(describe(element));
  return nb::make_tuple(argument.rule.name, nb::none(), elements, number, argument.isDeclared);
}

static std::vector<PlannedArgument> planSlots(const base::CompiledKernel &kernel) {
  std::vector<PlannedArgument> arguments;
  arguments.reserve(kernel.arguments.size());
  for (const base::RuntimeArgument &argument : kernel.arguments)
    arguments.push_back(planned(argument.name, argument.type));
  return arguments;
}

static std::vector<PlannedArgument> without(bool PlannedArgument::*flag,
                                            const std::vector<PlannedArgument> &parameters) {
  std::vector<PlannedArgument> kept;
  for (const PlannedArgument &parameter : parameters)
    if (!(parameter.*flag))
      kept.push_back(parameter);
  return kept;
}

static bool isSame(const PlannedArgument &one, const PlannedArgument &other) {
  return one.rule.name == other.rule.name && one.isConstant == other.isConstant && one.isTuple == other.isTuple &&
         one.descriptor == other.descriptor;
}

bool LaunchPlan::mayBeFirst(size_t count) const {
  return !parameters.empty() && count >= leastCount && count <= parameters.size();
}

void LaunchPlan::listForms() {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].isConstant)
      leastCount = i + 1;
  auto add = [&](Form form) {
    auto equals = [&](const Form &known) {
      return form.size() <= known.size() && std::equal(form.begin(), form.end(), known.begin(), isSame);
    };
    bool isKnown = (mayBeFirst(form.size()) && equals(parameters)) ||
                   std::any_of(forms.begin(), forms.end(),
                               [&](const Form &known) { return form.size() == known.size() && equals(known); });
    if (!isKnown)
      forms.push_back(std::move(form));
  };
  if (!parameters.empty()) {
    add(without(&PlannedArgument::isConstant, parameters));
    add(without(&PlannedArgument::isDeclared, parameters));
  }
  add(planSlots(*kernel));
}

LaunchPlan::LaunchPlan(std::shared_ptr<const base::CompiledKernel> given,
                       const std::vector<compiler::Argument> &parameterTypes, const std::vector<bool> &declared,
                       int maxThreads)
    : kernel(std::move(given)), device(launchDeviceOf(kernel->target.backend)), maxThreads(maxThreads) {
  for (const compiler::Argument &parameter : parameterTypes)
    parameters.push_back(planned(parameter));
  for (size_t i = 0; i < declared.size(); ++i)
    parameters[i].isDeclared = declared[i];
  listForms();
}

LaunchPlan::LaunchPlan(std::shared_ptr<const base::CompiledKernel> given, nb::list described, int maxThreads)
    : kernel(std::move(given)), device(launchDeviceOf(kernel->target.backend)), maxThreads(maxThreads) {
  for (nb::handle parameter : described)
    parameters.push_back(planned(parameter));
  listForms();
}

nb::list LaunchPlan::describe() const {
  nb::list described;
  for (const PlannedArgument &parameter : parameters)
    described.append(python::describe(parameter));
  return described;
}

static bool packDescriptor(const PlannedArgument &argument, PyObject *value, LaunchFrame &frame) {
  size_t first = frame.views.size();
  if (!specialize(argument.rule, value, frame))
    return false;
  const runtime::ArgumentView &view = frame.views[first];
  bool isDescriptor = view.kind == runtime::ArgumentView::Kind::Descriptor;
  if (isDescriptor && base::DescriptorType::unpack(view.element.scalar, view.bits) == *argument.descriptor)
    return true;
  PyErr_Format(PyExc_TypeError, "argument `%s` must be a `%s`, for which the kernel was compiled",
               argument.rule.name.c_str(), argument.descriptor->str().c_str());
  return false;
}

/// Compares a number that is given for a constant. Other objects may stand for anything.
static bool checkConstant(const PlannedArgument &argument, PyObject *value) {
  if (!argument.number || (!PyLong_Check(value) && !PyFloat_Check(value)))
    return true;
  Reference compiled = Reference::steal(std::holds_alternative<double>(*argument.number)
                                            ? PyFloat_FromDouble(std::get<double>(*argument.number))
                                            : PyLong_FromLongLong(std::get<int64_t>(*argument.number)));
  const auto *real = std::get_if<double>(&*argument.number);
  if (real && std::isnan(*real) && PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value)))
    return true; // although the two compare as different
  int isSame = compiled ? PyObject_RichCompareBool(compiled.get(), value, Py_EQ) : -1;
  if (isSame == 0)
    PyErr_Format(PyExc_TypeError, "argument `%s` is %R, but the kernel was compiled for %R; compile it for this value",
                 argument.rule.name.c_str(), value, compiled.get());
  return isSame == 1;
}

/// Appends the slots of one argument, which must be of the type that the kernel was compiled for.
static bool pack(const PlannedArgument &argument, PyObject *value, LaunchFrame &frame) {
  if (argument.isConstant)
    return checkConstant(argument, value);
  if (argument.isTuple) {
    if (!PyTuple_Check(value) || size_t(PyTuple_GET_SIZE(value)) != argument.elements.size()) {
      PyErr_Format(PyExc_TypeError, "argument `%s` must be a tuple of %zu", argument.rule.name.c_str(),
                   argument.elements.size());
      return false;
    }
    for (size_t i = 0; i < argument.elements.size(); ++i)
      if (!pack(argument.elements[i], PyTuple_GET_ITEM(value, Py_ssize_t(i)), frame))
        return false;
    return true;
  }
  if (argument.descriptor)
    return packDescriptor(argument, value, frame);
  // Because the types are fixed, an address may be given as a number, and a null pointer as None.
  if (argument.rule.type->isPointer() && (value == Py_None || PyLong_Check(value))) {
    void *address = value == Py_None ? nullptr : PyLong_AsVoidPtr(value);
    frame.specialized.slots.push_back(uint64_t(reinterpret_cast<uintptr_t>(address)));
    return address || !PyErr_Occurred();
  }
  return specialize(argument.rule, value, frame);
}

/// Whether a value is what a form expects of this argument: a constant's own value, where it is a number or None, and a
/// tuple or a descriptor where one is due.
static bool fits(const PlannedArgument &argument, PyObject *value) {
  bool isNumber = PyLong_Check(value) || PyFloat_Check(value);
  if (argument.isConstant) {
    bool fitsConstant = argument.number ? value != Py_None && checkConstant(argument, value) : !isNumber;
    PyErr_Clear();
    bool isArray = PyObject_HasAttrString(value, "data_ptr") || PyObject_HasAttrString(value, "__array_interface__");
    return fitsConstant && !(argument.number && isArray);
  }
  return argument.isTuple == bool(PyTuple_Check(value)) && argument.descriptor.has_value() == isTensorDescriptor(value);
}

/// Whether no number is given for a pointer, which may be one that belongs to another argument.
static bool hasPointers(const PlannedArgument &argument, PyObject *value) {
  return argument.isConstant || !argument.rule.type || !argument.rule.type->isPointer() || !PyLong_Check(value);
}

const LaunchPlan::Form *LaunchPlan::formFor(PyObject *const *arguments, size_t count) const {
  const Form *first = mayBeFirst(count) ? &parameters : nullptr;
  for (const Form &form : forms) {
    if (form.size() == count && first)
      return chooseForm(arguments, count);
    if (form.size() == count)
      first = &form;
  }
  if (!first)
    raiseWrongCount(count);
  return first;
}

const LaunchPlan::Form *LaunchPlan::chooseForm(PyObject *const *arguments, size_t count) const {
  std::vector<const Form *> found;
  if (mayBeFirst(count))
    found.push_back(&parameters);
  for (const Form &form : forms)
    if (form.size() == count)
      found.push_back(&form);
  for (auto test : {fits, hasPointers}) {
    std::vector<const Form *> passing;
    for (const Form *form : found)
      if (std::equal(arguments, arguments + count, form->begin(),
                     [&](PyObject *value, const PlannedArgument &argument) { return test(argument, value); }))
        passing.push_back(form);
    if (passing.size() == 1 || (passing.empty() && test == fits))
      return passing.empty() ? found.front() : passing.front();
    if (!passing.empty())
      found = passing;
  }
  // Those that differ in constants alone do the same.
  auto doesSame = [](const PlannedArgument &one, const PlannedArgument &other) {
    return (one.isConstant && other.isConstant) || isSame(one, other);
  };
  auto differsFromFirst = [&](const Form *form) {
    return !std::equal(form->begin(), form->begin() + ptrdiff_t(count), found.front()->begin(), doesSame);
  };
  if (std::none_of(found.begin() + 1, found.end(), differsFromFirst))
    return found.front();
  PyErr_Format(PyExc_TypeError,
               "these %zu arguments may be the first of the %zu of `%s`, or those without compile-time constants; pass "
               "all %zu",
               count, parameters.size(), kernel->name.c_str(), parameters.size());
  return nullptr;
}

void LaunchPlan::raiseWrongCount(size_t count) const {
  auto number = [&](bool PlannedArgument::*flag) {
    return size_t(std::count_if(parameters.begin(), parameters.end(),
                                [&](const PlannedArgument &parameter) { return !(parameter.*flag); }));
  };
  size_t passed = parameters.empty() ? kernel->arguments.size() : number(&PlannedArgument::isConstant);
  size_t undeclared = number(&PlannedArgument::isDeclared);
  std::string others = std::to_string(passed) + " that are not compile-time constants";
  if (undeclared != passed && undeclared != parameters.size())
    others += ", or the " + std::to_string(undeclared) + " that no `tl.constexpr` declares";
  PyErr_Format(PyExc_TypeError, "`%s` takes %zu arguments, or the %s; got %zu", kernel->name.c_str(), parameters.size(),
               others.c_str(), count);
}

bool LaunchPlan::launch(const std::array<int32_t, 3> &grid, PyObject *const *arguments, size_t count,
                        std::optional<void *> stream) const {
  const Form *form = formFor(arguments, count);
  if (!form)
    return false;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  FrameScope scope;
  LaunchFrame &frame = scope.frame;
  frame.device = device;
  frame.stream = stream;
  for (size_t i = 0; i < count; ++i)
    if (!pack((*form)[i], arguments[i], frame))
      return false;
  if (!kernel->results.disjointPairs.empty() && overlap(*kernel, frame)) [[unlikely]] {
    raiseOverlap(*kernel, frame);
    return false;
  }
  return runKernel(*kernel, frame, grid, maxThreads);
}

//===-- The runner --------------------------------------------------------------------------------------------------===

namespace {

PyTypeObject *runnerType = nullptr;

struct RunnerObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::shared_ptr<const LaunchPlan> *plan;
};

/// The arguments that precede the kernel's own.
enum LeadingArgument : size_t {
  Grid0,
  Grid1,
  Grid2,
  Stream,
  Function,
  PackedMetadata,
  LaunchMetadata,
  EnterHook,
  ExitHook,
  LeadingCount
};

/// Calls a hook that is neither None nor an empty chain.
bool callHook(PyObject *hook, PyObject *metadata) {
  if (hook == Py_None)
    return true;
  int isSet = PyObject_IsTrue(hook);
  if (isSet <= 0)
    return isSet == 0;
  return bool(Reference::steal(callWith(hook, metadata)));
}

PyObject *callRunner(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
  size_t count = size_t(PyVectorcall_NARGS(flags));
  if (count < LeadingCount || (names && PyTuple_GET_SIZE(names) > 0)) {
    PyErr_SetString(PyExc_TypeError,
                    "a kernel's `run` takes, by position: three extents of the grid, stream, function, "
                    "packed_metadata, launch_metadata, the hooks of enter and exit, and the kernel's "
                    "arguments");
    return nullptr;
  }
  return translateErrors([&]() -> PyObject * {
    std::array<int32_t, 3> grid;
    for (size_t i = 0; i < grid.size(); ++i)
      if (!parseExtent(arguments[Grid0 + i], grid[i]))
        return nullptr;
    std::optional<void *> stream;
    if (arguments[Stream] != Py_None) {
      stream = PyLong_AsVoidPtr(arguments[Stream]);
      if (!*stream && PyErr_Occurred())
        return nullptr;
    }
    std::shared_ptr<const LaunchPlan> plan = *reinterpret_cast<RunnerObject *>(self)->plan;
    if (!callHook(arguments[EnterHook], arguments[LaunchMetadata]) ||
        !plan->launch(grid, arguments + LeadingCount, count - LeadingCount, stream) ||
        !callHook(arguments[ExitHook], arguments[LaunchMetadata]))
      return nullptr;
    return Py_NewRef(Py_None);
  });
}

void freeRunner(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<RunnerObject *>(self)->plan;
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

PyMemberDef runnerMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(RunnerObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot runnerSlots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(freeRunner)},
                             {Py_tp_members, runnerMembers},
                             {0, nullptr}};

PyType_Spec runnerSpec = {"triton._C.Runner", sizeof(RunnerObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          runnerSlots};

} // namespace

PyObject *makeRunner(std::shared_ptr<const LaunchPlan> plan) {
  auto *runner = PyObject_New(RunnerObject, runnerType);
  if (!runner)
    return nullptr;
  runner->vectorcall = callRunner;
  runner->plan = new std::shared_ptr<const LaunchPlan>(std::move(plan));
  return reinterpret_cast<PyObject *>(runner);
}

bool registerRunner() {
  runnerType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&runnerSpec));
  return runnerType != nullptr;
}

} // namespace triton::python

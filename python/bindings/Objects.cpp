#include "Objects.h"
#include "JitFunction.h"
#include "MadeOnce.h"
#include "NumPyScalars.h"
#include "StateLock.h"

#include "frontend/lowering/BuiltinModules.h"

#include "llvm/ADT/SmallString.h"

#include <cstdlib>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

using base::ElementType;
using frontend::makeObject;
using frontend::ObjectRef;

namespace {

/// Classes of the Python package that conversions recognize.
struct LanguageTypes {
  PyObject *constexprType, *dtype, *pointerType, *constexprFunction, *markedFunction, *runtimeValue;
  PyObject *runtimeTensor, *runtimeDescriptor, *externCall;
  PyObject *describeAggregate, *makeAggregate, *aggregateMethods; ///< functions about classes of `triton.aggregate`
  PyObject *limitsFunction;                                       ///< wraps `torch.finfo`
  PyObject *asConstant;                                           ///< makes a `tl.constexpr` of a value
  PyObject *constantCall, *fingerprint;                           ///< for values that only Python knows
};

const LanguageTypes &languageTypes() {
  return madeOnce([] {
    nb::module_ language = nb::module_::import_("triton.language");
    nb::module_ jit = nb::module_::import_("triton.runtime.jit");
    nb::module_ aggregate = nb::module_::import_("triton.language._aggregate");
    nb::module_ values = nb::module_::import_("triton.language._runtime_values");
    nb::module_ constants = nb::module_::import_("triton.language.constants");
    nb::module_ times = nb::module_::import_("triton.runtime._compile_time");
    auto attribute = [](nb::module_ module, const char *name) { return nb::object(module.attr(name)).release().ptr(); };
    return LanguageTypes{attribute(language, "constexpr"),    attribute(language, "dtype"),
                         attribute(language, "pointer_type"), attribute(jit, "ConstexprFunction"),
                         attribute(jit, "MarkedFunction"),    attribute(values, "RuntimeValue"),
                         attribute(values, "RuntimeTensor"),  attribute(values, "RuntimeDescriptor"),
                         attribute(values, "ExternCall"),     attribute(aggregate, "describe"),
                         attribute(aggregate, "make"),        attribute(aggregate, "methods"),
                         attribute(times, "LimitsFunction"),  attribute(constants, "as_constant"),
                         attribute(times, "ConstantCall"),    attribute(times, "fingerprint")};
  });
}

bool isInstance(PyObject *object, PyObject *type) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(type)) != 0;
}

std::string stringAttribute(nb::handle object, const char *name) {
  nb::object value = nb::getattr(object, name, nb::none());
  return PyUnicode_Check(value.ptr()) ? nb::cast<std::string>(value) : std::string();
}

ObjectRef unsupported(std::string description) { return makeObject(frontend::Unsupported{std::move(description)}); }

std::string withArticle(std::string_view noun) {
  bool startsWithVowel = !noun.empty() && std::string_view("aeiouAEIO").find(noun[0]) != std::string_view::npos;
  return (startsWithVowel ? "an " : "a ") + std::string(noun);
}

std::string shortTypeName(PyObject *object) {
  std::string name = typeName(object);
  return name.substr(name.rfind('.') + 1); // all of it where there is no dot
}

ObjectRef integerObject(PyObject *object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow)
    return frontend::makeInteger(value);
  Reference digits = Reference::steal(PyNumber_ToBase(object, 16)); // "-0x1f"
  std::string text = nb::cast<std::string>(nb::handle(digits.get()));
  bool isNegative = text[0] == '-';
  text.erase(0, isNegative ? 3 : 2);
  llvm::APInt magnitude(unsigned(text.size() * 4 + 1), text, 16);
  return makeObject(llvm::APSInt(isNegative ? -magnitude : magnitude, /*isUnsigned=*/false));
}

ObjectRef elementTypeObject(nb::handle type) {
  ElementType result;
  while (isInstance(type.ptr(), languageTypes().pointerType)) {
    result.isConst |= result.pointerDepth == 0 && nb::cast<bool>(nb::bool_(type.attr("const")));
    ++result.pointerDepth;
    type = nb::object(type.attr("element_ty"));
  }
  auto scalar = base::parseScalarType(stringAttribute(type, "name"));
  if (!scalar)
    return unsupported("the type `" + nb::cast<std::string>(nb::str(type)) + "`");
  result.scalar = *scalar;
  return makeObject(result);
}

ObjectRef tupleObject(PyObject *sequence) {
  frontend::Tuple tuple;
  tuple.fieldNames = fieldNames(sequence);
  if (!tuple.fieldNames.empty())
    tuple.typeName = shortTypeName(sequence);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    Reference element = elementOf(sequence, i);
    if (!element)
      throw nb::python_error();
    tuple.elements.push_back(toObject(element.get()));
  }
  return makeObject(std::move(tuple));
}

/// A reference that a thread without the GIL may drop, also as the last one, and when Python has ended.
std::shared_ptr<PyObject> hold(nb::object object) {
  return {object.release().ptr(), [](PyObject *held) {
            if (!Py_IsInitialized())
              return;
            nb::gil_scoped_acquire gil;
            Py_DECREF(held);
          }};
}

/// A function of the user that runs during compilation. Its result arrives as a plain Python value, and so do its
/// arguments. Only a function that `tl.constexpr` wraps gets its arguments as `tl.constexpr`, as in Triton.
ObjectRef hostFunction(nb::object function, bool wrapsArguments = false, bool seesHolders = false) {
  auto result = std::make_shared<frontend::HostFunction>();
  result->name = stringAttribute(function, "__name__");
  result->fingerprint = stringAttribute(function, "fingerprint");
  result->passesValues = true;
  result->seesHolders = seesHolders;
  std::shared_ptr<PyObject> held = hold(function.attr("fn"));
  result->call = [held, wrapsArguments](const std::vector<ObjectRef> &arguments,
                                        const std::map<std::string, ObjectRef> &keywords) {
    AttachedThread attached;
    auto passed = [&](const ObjectRef &argument) {
      nb::object plain = nb::steal(toPython(*argument).release());
      return wrapsArguments ? nb::handle(languageTypes().asConstant)(plain) : plain;
    };
    try {
      nb::list positional;
      for (const ObjectRef &argument : arguments)
        positional.append(passed(argument));
      nb::dict named;
      for (const auto &[name, value] : keywords)
        named[name.c_str()] = passed(value);
      nb::object value = nb::borrow(held.get())(*positional, **named);
      return toObject(value.ptr());
    } catch (nb::python_error &error) {
      std::string message = nb::cast<std::string>(nb::str(error.value()));
      throw std::runtime_error(stringAttribute(error.type(), "__name__") + ": " + message);
    }
  };
  return makeObject(std::shared_ptr<const frontend::HostFunction>(std::move(result)));
}

/// The attribute; of the name `__dir__` the names of all. Null when it does not exist.
ObjectRef attributeOf(PyObject *owner, std::string_view name) {
  if (name == "__dir__") {
    Reference names = Reference::steal(PyObject_Dir(owner));
    PyErr_Clear(); // of an object that does not say
    return names ? toObject(names.get()) : nullptr;
  }
  nb::object found = nb::getattr(nb::handle(owner), nb::str(name.data(), name.size()), nb::handle());
  if (!found.is_valid())
    return nullptr;
  bool isMethod = typeName(found.ptr()) == "method" || isPythonFunction(found.ptr()) || PyCFunction_Check(found.ptr());
  return isMethod && !PyModule_Check(owner) ? hostFunction(nb::handle(languageTypes().constantCall)(found))
                                            : toObject(found.ptr());
}

/// What a kernel can do with a value that only Python knows. Functions, arrays and values that can
/// change are unsupported.
ObjectRef hostObject(nb::handle value) {
  bool isClass = PyType_Check(value.ptr());
  std::string description =
      isClass ? "the class `" + stringAttribute(value, "__name__") + "`" : withArticle(shortTypeName(value.ptr()));
  if (!isClass && PyCallable_Check(value.ptr())) // a function in disguise, such as NumPy's
    return unsupported(description);
  nb::object fingerprint = nb::handle(languageTypes().fingerprint)(value);
  if (fingerprint.is_none())
    return unsupported(description);
  auto result = std::make_shared<frontend::HostObject>();
  result->description = description;
  result->text = nb::cast<std::string>(nb::repr(value));
  result->fingerprint = nb::cast<std::string>(fingerprint);
  result->truth = PyObject_IsTrue(value.ptr()) != 0;
  PyErr_Clear(); // of a value that does not say
  std::shared_ptr<PyObject> held = hold(nb::borrow(value));
  result->host = held;
  result->attribute = [held](std::string_view name) -> ObjectRef {
    AttachedThread attached;
    return attributeOf(held.get(), name);
  };
  result->equals = [held](const frontend::HostObject &other) {
    AttachedThread attached;
    int isEqual = PyObject_RichCompareBool(held.get(), static_cast<PyObject *>(other.host.get()), Py_EQ);
    PyErr_Clear(); // of a comparison that fails, whose result is not 1
    return isEqual == 1;
  };
  result->isInstanceOf = [held](const frontend::HostObject &type) {
    AttachedThread attached;
    int isInstance = PyObject_IsInstance(held.get(), static_cast<PyObject *>(type.host.get()));
    PyErr_Clear(); // of a class that does not say
    return isInstance == 1;
  };
  if (isClass)
    result->call = *hostFunction(nb::handle(languageTypes().constantCall)(value))
                        ->get<std::shared_ptr<const frontend::HostFunction>>();
  return makeObject(std::shared_ptr<const frontend::HostObject>(std::move(result)));
}

ObjectRef moduleObject(nb::object module) {
  std::string name = stringAttribute(module, "__name__");
  if (ObjectRef own = frontend::builtinModule(name))
    return own;
  auto result = std::make_shared<frontend::Module>();
  result->name = name;
  PyObject *held = module.release().ptr(); // imported modules live as long as the process
  result->attribute = [held](std::string_view attribute) -> ObjectRef {
    AttachedThread attached;
    return attributeOf(held, attribute);
  };
  return makeObject(std::shared_ptr<const frontend::Module>(std::move(result)));
}

/// Whether `type` itself, not only a class that it derives from, was decorated with `triton.aggregate`.
bool isAggregateClass(PyObject *type) {
  // Since Python 3.12 the classes that are not made by `class` or a call have no dictionary of their own.
  return PyType_Check(type) && PyType_HasFeature(reinterpret_cast<PyTypeObject *>(type), Py_TPFLAGS_HEAPTYPE) &&
         ownAttribute(reinterpret_cast<PyTypeObject *>(type), "__triton_aggregate__") != nullptr;
}

constexpr const char *capsuleName = "triton.aggregate";

std::shared_ptr<const frontend::AggregateClass> aggregateClass(PyObject *type);

/// What kernels see of a class, read from the tuple that `describe` returns for it.
std::shared_ptr<const frontend::AggregateClass> makeAggregateClass(PyObject *type) {
  nb::object described = nb::steal(callWith(languageTypes().describeAggregate, type));
  if (!described.is_valid())
    throw nb::python_error();
  auto result = std::make_shared<frontend::AggregateClass>();
  result->name = stringAttribute(type, "__name__");
  for (nb::handle base : described[0])
    result->bases.push_back(aggregateClass(base.ptr()).get());
  std::vector<ObjectRef> types;
  for (nb::handle field : described[1]) {
    result->fields.push_back({nb::cast<std::string>(field[0]), nullptr});
    if (nb::object given = field[2]; nb::len(given) == 1)
      result->fields.back().defaultValue = toObject(nb::object(given[0]).ptr());
    types.push_back(toObject(nb::object(field[1]).ptr()));
  }
  result->fieldType = [types](size_t field) { return types[field]; };
  std::map<std::string, ObjectRef, std::less<>> members;
  for (nb::handle member : described[2]) {
    std::string name = nb::cast<std::string>(member[0]);
    members[name] = toObject(nb::object(member[1]).ptr());
    result->memberNames.push_back(name);
    if (nb::cast<bool>(member[2]))
      result->staticMembers.push_back(name);
  }
  result->member = [members](std::string_view name) -> ObjectRef {
    auto found = members.find(name);
    return found == members.end() ? nullptr : found->second;
  };
  result->initializesAsPython = nb::cast<bool>(described[3]);
  // Borrowed: the class owns this object.
  result->host = std::shared_ptr<void>(type, [](void *) {});
  return result;
}

/// The description of a class, which the class owns so that it has only one.
std::shared_ptr<const frontend::AggregateClass> aggregateClass(PyObject *type) {
  using Held = std::shared_ptr<const frontend::AggregateClass>;
  PyObject *known = ownAttribute(reinterpret_cast<PyTypeObject *>(type), "__triton_description__");
  if (known)
    return *static_cast<Held *>(PyCapsule_GetPointer(known, capsuleName));
  Held made = makeAggregateClass(type);
  Reference capsule = Reference::steal(PyCapsule_New(new Held(made), capsuleName, [](PyObject *object) {
    delete static_cast<Held *>(PyCapsule_GetPointer(object, capsuleName));
  }));
  if (!capsule || PyObject_SetAttrString(type, "__triton_description__", capsule.get()) != 0)
    throw nb::python_error();
  return made;
}

/// An object of an aggregate, whose fields are known at compile time.
ObjectRef aggregateObject(nb::handle object) {
  frontend::Tuple tuple;
  tuple.aggregate = aggregateClass(object.type().ptr());
  tuple.typeName = tuple.aggregate->name;
  for (const frontend::AggregateClass::Field &field : tuple.aggregate->fields) {
    tuple.fieldNames.push_back(field.name);
    tuple.elements.push_back(toObject(nb::object(object.attr(field.name.c_str())).ptr()));
  }
  return makeObject(std::move(tuple));
}

/// The classes of PyTorch that have the limits of a type, which kernels ask as Triton's do.
bool tellsLimits(nb::handle type) {
  std::string name = stringAttribute(type, "__name__");
  return (name == "finfo" || name == "iinfo") && stringAttribute(type, "__module__") == "torch";
}

/// `torch.float32` as `tl.float32`; null for other objects, and for types that kernels do not have.
ObjectRef torchTypeObject(nb::handle object) {
  if (typeName(object.ptr()) != "torch.dtype")
    return nullptr;
  std::string name = nb::cast<std::string>(nb::str(object));
  nb::object found =
      nb::getattr(nb::module_::import_("triton.language"), name.substr(name.rfind('.') + 1).c_str(), nb::none());
  return isInstance(found.ptr(), languageTypes().dtype) ? elementTypeObject(found) : nullptr;
}

/// Whether it is a constant of the language that Python defines, such as a layout of Gluon, or a class of such.
bool isLanguageConstant(PyObject *object) {
  PyObject *type = PyType_Check(object) ? object : reinterpret_cast<PyObject *>(Py_TYPE(object));
  return PyObject_HasAttrString(type, "__triton_constant__") != 0;
}

/// What stands for a part of the language that does not exist yet.
ObjectRef missingFunction(nb::handle described) {
  auto result = std::make_shared<frontend::HostFunction>();
  result->name = result->fingerprint = nb::cast<std::string>(described[0]);
  result->missingFor = nb::cast<std::string>(described[1]);
  result->successor = nb::cast<std::string>(described[2]);
  return makeObject(std::shared_ptr<const frontend::HostFunction>(std::move(result)));
}

/// A class or function: one of the language's own, a namedtuple class, or something that kernels cannot use.
ObjectRef callableObject(nb::handle object) {
  if (ObjectRef member =
          frontend::languageMember(stringAttribute(object, "__module__"), stringAttribute(object, "__name__")))
    return member;
  if (nb::object missing = nb::getattr(object, "__triton_missing__", nb::handle()); missing.is_valid())
    return missingFunction(missing);
  if (isAggregateClass(object.ptr()))
    return makeObject(aggregateClass(object.ptr()));
  if (PyType_Check(object.ptr())) {
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(object.ptr()), &PyTuple_Type) &&
        nb::hasattr(object, "_fields")) {
      frontend::NamedTupleClass result;
      result.name = stringAttribute(object, "__name__");
      for (nb::handle field : object.attr("_fields"))
        result.fieldNames.push_back(nb::cast<std::string>(field));
      return makeObject(std::move(result));
    }
    if (tellsLimits(object))
      return hostFunction(nb::handle(languageTypes().limitsFunction)(object));
    return hostObject(object);
  }
  if (PyObject_HasAttrString(object.ptr(), "__triton_builtin__"))
    return hostFunction(nb::handle(languageTypes().markedFunction)(object), /*wrapsArguments=*/false,
                        /*seesHolders=*/true);
  return unsupported("the Python function `" + stringAttribute(object, "__name__") +
                     "`, which is not decorated with @triton.jit");
}

/// A function that `tl.constexpr` wraps, often as a decorator. Kernels call it at compile time.
ObjectRef wrappedFunction(nb::handle function) {
  if (ObjectRef member =
          frontend::languageMember(stringAttribute(function, "__module__"), stringAttribute(function, "__name__")))
    return member;
  return hostFunction(nb::handle(languageTypes().constexprFunction)(function), /*wrapsArguments=*/true);
}

/// A member of an enum that belongs to the language, such as `tl.PropagateNan.ALL`.
ObjectRef enumMember(nb::handle object) {
  nb::handle type = object.type();
  ObjectRef owner = frontend::languageMember(stringAttribute(type, "__module__"), stringAttribute(type, "__name__"));
  const auto *module = owner ? owner->get<std::shared_ptr<const frontend::Module>>() : nullptr;
  return module ? (*module)->attribute(stringAttribute(object, "name")) : nullptr;
}

ElementType elementTypeOf(nb::handle type) {
  ObjectRef object = toObject(type.ptr());
  const auto *element = object->get<ElementType>();
  if (!element)
    throw nb::type_error("the types of an external function are dtypes");
  return *element;
}

ObjectRef externCallObject(nb::handle object) {
  frontend::ExternCall call;
  call.symbol = nb::cast<std::string>(object.attr("symbol"));
  nb::object operands = object.attr("operands"), types = object.attr("operand_types");
  for (size_t i = 0; i < nb::len(operands); ++i)
    call.operands.push_back({toObject(nb::object(operands[i]).ptr()), elementTypeOf(nb::object(types[i]))});
  call.result = elementTypeOf(object.attr("result_type"));
  call.isPure = nb::cast<bool>(object.attr("is_pure"));
  return makeObject(std::move(call));
}

bool isCallableDefinition(PyObject *object) {
  return PyType_Check(object) || isPythonFunction(object) || PyCFunction_Check(object);
}

/// Converts everything that is not a plain value. Null for plain values.
ObjectRef definitionObject(PyObject *object) {
  if (isJitFunction(object))
    return makeObject(functionOf(object));
  const LanguageTypes &types = languageTypes();
  if (isInstance(object, types.dtype) || isInstance(object, types.pointerType))
    return elementTypeObject(object);
  if (isInstance(object, types.constexprFunction)) {
    std::string module = stringAttribute(nb::handle(object), "__module__");
    if (ObjectRef member = frontend::languageMember(module, stringAttribute(nb::handle(object), "__name__")))
      return member;
    return hostFunction(nb::borrow(object));
  }
  if (PyModule_Check(object))
    return moduleObject(nb::borrow(object));
  if (isCallableDefinition(object))
    return callableObject(object);
  if (isInstance(object, types.externCall))
    return externCallObject(object);
  if (isInstance(object, types.runtimeValue))
    return makeObject(frontend::RuntimeValue{nb::cast<unsigned>(nb::handle(object).attr("number"))});
  if (isAggregate(object))
    return aggregateObject(object);
  if (ObjectRef type = torchTypeObject(object))
    return type;
  return enumMember(object);
}

} // namespace

bool isAggregate(PyObject *object) { return isAggregateClass(reinterpret_cast<PyObject *>(Py_TYPE(object))); }

std::vector<PyObject *> methodsOf(PyObject *value) {
  PyObject *type = isAggregateClass(value) ? value : reinterpret_cast<PyObject *>(Py_TYPE(value));
  if (!isAggregateClass(type))
    return {};
  // The class owns the list.
  Reference list = Reference::steal(callWith(languageTypes().aggregateMethods, type));
  if (!list)
    throw nb::python_error();
  std::vector<PyObject *> methods;
  methods.reserve(PyList_GET_SIZE(list.get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    methods.push_back(PyList_GET_ITEM(list.get(), i));
  return methods;
}

bool isConstexpr(PyObject *object) { return isInstance(object, languageTypes().constexprType); }

Reference constexprValue(PyObject *object) {
  Reference value = Reference::steal(PyObject_GetAttrString(object, "value"));
  while (value && isConstexpr(value.get()))
    value = Reference::steal(PyObject_GetAttrString(value.get(), "value"));
  return value;
}

bool isCompileTimeOnly(PyObject *object) {
  const LanguageTypes &types = languageTypes();
  return isJitFunction(object) || isInstance(object, types.dtype) || isInstance(object, types.pointerType) ||
         isInstance(object, types.constexprFunction) || isCallableDefinition(object) || isAggregate(object);
}

ObjectRef toObject(PyObject *object) {
  if (object == Py_None)
    return frontend::makeNone();
  if (PyBool_Check(object))
    return makeObject(object == Py_True);
  if (PyLong_Check(object))
    return integerObject(object);
  if (PyFloat_Check(object))
    return makeObject(PyFloat_AS_DOUBLE(object));
  if (PyUnicode_Check(object))
    return makeObject(nb::cast<std::string>(nb::handle(object)));
  if (isConstexpr(object)) {
    Reference value = constexprValue(object);
    return isPythonFunction(value.get()) ? wrappedFunction(value.get()) : toObject(value.get());
  }
  if (PyTuple_Check(object) || PyList_Check(object))
    return tupleObject(object);
  if (isNumPyScalar(object)) {
    Reference number = plainNumber(object);
    if (!number)
      throw nb::python_error();
    return toObject(number.get());
  }
  if (ObjectRef definition = definitionObject(object))
    return definition;
  return hostObject(object);
}

ObjectRef globalToObject(PyObject *object) {
  if (object == Py_None)
    return frontend::makeNone();
  bool isPlain = isCapturedValue(object) && !isConstexpr(object) && !isAggregate(object) && !isLanguageConstant(object);
  if (isPlain && !frontend::allowsNonConstexprGlobals()) {
    if (ObjectRef definition = definitionObject(object))
      return definition;
    return unsupported(withArticle(shortTypeName(object)) + " that is not a tl.constexpr");
  }
  ObjectRef result = toObject(object);
  // The attributes of other classes may change.
  if (PyType_Check(object) && result->is<std::shared_ptr<const frontend::HostObject>>() && !isLanguageConstant(object))
    return unsupported("the class `" + stringAttribute(object, "__name__") + "` that is not a tl.constexpr");
  return result;
}

bool isCapturedValue(PyObject *object) {
  return object != Py_None && !PyModule_Check(object) && (isAggregate(object) || !isCompileTimeOnly(object));
}

std::vector<std::string> fieldNames(PyObject *object) {
  std::vector<std::string> names;
  if (PyTuple_Check(object) && !PyTuple_CheckExact(object) && PyObject_HasAttrString(object, "_fields"))
    for (nb::handle field : nb::handle(object).attr("_fields"))
      names.push_back(nb::cast<std::string>(field));
  return names;
}

namespace {

/// Makes the Python form of each kind of compile-time object.
struct PythonMaker {
  using Result = Reference;

  Result operator()(frontend::NoneType) const { return Reference::borrow(Py_None); }
  Result operator()(bool value) const { return Reference::borrow(value ? Py_True : Py_False); }
  Result operator()(const llvm::APSInt &value) const {
    if (value.isRepresentableByInt64())
      return Reference::steal(PyLong_FromLongLong(value.getExtValue()));
    llvm::SmallString<64> digits;
    value.toString(digits, 16);
    return Reference::steal(PyLong_FromString(digits.c_str(), nullptr, 16));
  }
  Result operator()(double value) const { return Reference::steal(PyFloat_FromDouble(value)); }
  Result operator()(const std::string &value) const {
    return Reference::steal(PyUnicode_FromStringAndSize(value.data(), Py_ssize_t(value.size())));
  }
  Result operator()(const ElementType &type) const {
    nb::module_ language = nb::module_::import_("triton.language");
    nb::object result = language.attr(std::string(base::longName(type.scalar)).c_str());
    for (unsigned depth = 0; depth < type.pointerDepth; ++depth)
      result = language.attr("pointer_type")(result);
    return Reference::steal(result.release().ptr());
  }
  Result operator()(const frontend::Tuple &tuple) const {
    nb::list elements;
    for (const ObjectRef &element : tuple.elements)
      elements.append(nb::steal(toPython(*element).release()));
    if (tuple.aggregate && tuple.aggregate->host)
      return Reference::steal(PyObject_CallFunctionObjArgs(languageTypes().makeAggregate,
                                                           static_cast<PyObject *>(tuple.aggregate->host.get()),
                                                           elements.ptr(), nullptr));
    if (tuple.fieldNames.empty())
      return Reference::steal(nb::tuple(elements).release().ptr());
    nb::object type = nb::module_::import_("collections")
                          .attr("namedtuple")(tuple.typeName.empty() ? "tuple" : tuple.typeName, tuple.fieldNames);
    return Reference::steal(type(*elements).release().ptr());
  }
  Result operator()(const frontend::RuntimeValue &value) const {
    using Kind = frontend::RuntimeValue::Kind;
    if (value.kind == Kind::Other)
      return Reference::steal(nb::handle(languageTypes().runtimeValue)(value.number).release().ptr());
    nb::object element = nb::steal((*this)(value.element).release());
    if (value.kind == Kind::HeldDtype)
      return Reference::steal(nb::handle(languageTypes().asConstant)(element).release().ptr());
    bool isTensor = value.kind == Kind::Tensor;
    nb::handle made = isTensor ? languageTypes().runtimeTensor : languageTypes().runtimeDescriptor;
    return Reference::steal(made(value.number, element, nb::cast(value.shape)).release().ptr());
  }
  Result operator()(const std::shared_ptr<const frontend::Function> &function) const {
    return Reference::borrow(pythonFunctionOf(*function));
  }
  Result operator()(const std::shared_ptr<const frontend::AggregateClass> &type) const {
    return Reference::borrow(static_cast<PyObject *>(type->host.get()));
  }
  Result operator()(const std::shared_ptr<const frontend::HostObject> &value) const {
    return Reference::borrow(static_cast<PyObject *>(value->host.get()));
  }
  template <typename Other> Result operator()(const Other &) const {
    PyErr_SetString(PyExc_TypeError, "this object exists only inside kernels");
    return Reference();
  }
};

} // namespace

Reference toPython(const frontend::Object &object) {
  Reference result = std::visit(PythonMaker(), object.storage);
  if (!result)
    throw nb::python_error();
  return result;
}

} // namespace triton::python

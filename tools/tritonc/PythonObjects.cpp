#include "PythonObjects.h"

#include "base/ScalarTypeNames.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <map>
#include <stdexcept>

using namespace tritonc;
using triton::base::ElementType;
using triton::frontend::HostFunction;
using triton::frontend::HostObject;
using triton::frontend::makeObject;
using triton::frontend::ObjectRef;
using triton::frontend::RuntimeValue;
namespace frontend = triton::frontend;
using Json = llvm::json::Object;
using JsonArray = llvm::json::Array;
using PythonRef = std::shared_ptr<PythonConnection>;

static std::string textOf(const Json &answer, llvm::StringRef name) {
  return answer.getString(name).value_or("").str();
}

// ---- Values that kernels pass to Python ----

static Json describe(const ObjectRef &object);

namespace {
/// What the answerer reads, by the kind of the value.
struct Describer {
  using Result = Json;
  Result operator()(frontend::NoneType) const { return Json{{"none", true}}; }
  Result operator()(bool value) const { return Json{{"bool", value}}; }
  Result operator()(const llvm::APSInt &value) const {
    return Json{{"int", llvm::toString(value, 10, /*isSigned=*/true)}};
  }
  Result operator()(double value) const {
    char text[40];
    std::snprintf(text, sizeof text, "%a", value);
    return Json{{"float", text}};
  }
  Result operator()(const std::string &value) const { return Json{{"str", value}}; }
  Result operator()(const ElementType &type) const {
    std::string name = std::string(type.pointerDepth, '*') + std::string(triton::base::longName(type.scalar));
    return Json{{"dtype", name}};
  }
  Result operator()(const frontend::Tuple &tuple) const {
    JsonArray elements;
    for (const ObjectRef &element : tuple.elements)
      elements.push_back(::describe(element));
    Json result{{"tuple", std::move(elements)}};
    if (!tuple.fieldNames.empty()) {
      result["type"] = tuple.typeName;
      result["fields"] = JsonArray(tuple.fieldNames);
    }
    return result;
  }
  Result operator()(const RuntimeValue &value) const {
    Json result{{"value", value.number}};
    if (value.kind == RuntimeValue::Kind::Other)
      return result;
    result["dtype"] =
        std::string(value.element.pointerDepth, '*') + std::string(triton::base::longName(value.element.scalar));
    if (value.kind != RuntimeValue::Kind::HeldDtype)
      result["shape"] = JsonArray(value.shape);
    result["is_descriptor"] = value.kind == RuntimeValue::Kind::Descriptor;
    return result;
  }
  Result operator()(const std::shared_ptr<const HostObject> &value) const {
    return Json{{"handle", *static_cast<const int64_t *>(value->host.get())}};
  }
  template <typename Other> Result operator()(const Other &) const {
    throw std::runtime_error("this value exists only inside kernels");
  }
};
} // namespace

static Json describe(const ObjectRef &object) { return std::visit(Describer(), object->storage); }

// ---- Values that Python answers with ----

static ObjectRef unsupported(std::string description, bool isUnknown = false) {
  return makeObject(frontend::Unsupported{std::move(description), isUnknown});
}

/// Why a name of Gluon is not known.
static ObjectRef unreachable(const PythonRef &python) {
  return unsupported("a value that only Python can compute; " + python->problem() +
                         " (Gluon's layouts are objects of Python: activate an environment that has this package)",
                     /*isUnknown=*/true);
}

/// The answer to a question as an object; null where there is none. Throws std::runtime_error with Python's own error.
static ObjectRef askFor(const PythonRef &python, Json question) {
  std::optional<Json> answer = python->ask(std::move(question));
  if (!answer)
    return unreachable(python);
  if (std::optional<llvm::StringRef> error = answer->getString("error"))
    throw std::runtime_error(error->str());
  return answer->get("absent") ? nullptr : readObject(python, *answer);
}

static ObjectRef attributeOf(const PythonRef &python, int64_t handle, std::string_view name) {
  if (name == "__dir__") // what is known here does not change
    return nullptr;
  return askFor(python, Json{{"attribute", std::string(name)}, {"of", handle}});
}

static std::shared_ptr<const HostFunction> makeFunction(const PythonRef &python, const Json &answer) {
  auto function = std::make_shared<HostFunction>();
  function->name = textOf(answer, "name");
  function->fingerprint = textOf(answer, "fingerprint");
  function->passesValues = true;
  function->seesHolders = answer.getBoolean("sees_holders").value_or(false);
  int64_t handle = answer.getInteger("call").value_or(0);
  function->call = [python, handle](const std::vector<ObjectRef> &arguments,
                                    const std::map<std::string, ObjectRef> &keywords) {
    JsonArray positional;
    for (const ObjectRef &argument : arguments)
      positional.push_back(describe(argument));
    Json named;
    for (const auto &[name, value] : keywords)
      named[name] = describe(value);
    return askFor(python, Json{{"call", handle}, {"arguments", std::move(positional)}, {"keywords", std::move(named)}});
  };
  return function;
}

static ObjectRef makeValue(const PythonRef &python, int64_t handle, const Json &answer) {
  auto value = std::make_shared<HostObject>();
  value->description = textOf(answer, "description");
  value->text = textOf(answer, "text");
  value->fingerprint = textOf(answer, "fingerprint");
  value->truth = answer.getBoolean("truth").value_or(true);
  value->host = std::make_shared<int64_t>(handle);
  value->attribute = [python, handle](std::string_view name) { return attributeOf(python, handle, name); };
  auto relation = [python, handle](const char *question, const HostObject &other) {
    ObjectRef answer =
        askFor(python, Json{{question, handle}, {"other", *static_cast<const int64_t *>(other.host.get())}});
    const bool *holds = answer ? answer->get<bool>() : nullptr;
    return holds && *holds;
  };
  value->equals = [relation](const HostObject &other) { return relation("equal", other); };
  value->isInstanceOf = [relation](const HostObject &type) { return relation("instance", type); };
  if (answer.get("call"))
    value->call = makeFunction(python, answer);
  return makeObject(std::shared_ptr<const HostObject>(std::move(value)));
}

namespace {
/// What modules show does not change, so that a name always denotes the same object.
struct KnownNames {
  std::mutex mutex;
  std::map<std::string, ObjectRef, std::less<>> objects;

  ObjectRef find(std::string_view name, llvm::function_ref<ObjectRef()> ask) {
    {
      std::lock_guard lock(mutex);
      if (auto found = objects.find(name); found != objects.end())
        return found->second;
    }
    ObjectRef object = ask(); // which may ask for others
    std::lock_guard lock(mutex);
    return objects.emplace(std::string(name), std::move(object)).first->second;
  }
};
} // namespace

static ObjectRef makeModule(const PythonRef &python, const std::string &name) {
  auto module = std::make_shared<frontend::Module>();
  module->name = name;
  module->attribute = [python, name, known = std::make_shared<KnownNames>()](std::string_view attribute) {
    return known->find(attribute,
                       [&] { return askFor(python, Json{{"module", name}, {"attribute", std::string(attribute)}}); });
  };
  return makeObject(std::shared_ptr<const frontend::Module>(std::move(module)));
}

static ObjectRef makeMissing(const JsonArray &described) {
  auto function = std::make_shared<HostFunction>();
  auto part = [&](unsigned index) { return described[index].getAsString().value_or("").str(); };
  function->name = function->fingerprint = part(0);
  function->missingFor = part(1);
  function->successor = part(2);
  return makeObject(std::shared_ptr<const HostFunction>(std::move(function)));
}

static ObjectRef readTuple(const PythonRef &python, const Json &answer, const JsonArray &elements) {
  frontend::Tuple tuple;
  tuple.typeName = textOf(answer, "type");
  for (const llvm::json::Value &element : elements) {
    const Json *object = element.getAsObject();
    tuple.elements.push_back(object ? readObject(python, *object) : nullptr);
    if (!tuple.elements.back())
      return nullptr;
  }
  if (const JsonArray *names = answer.getArray("fields"))
    for (const llvm::json::Value &name : *names)
      tuple.fieldNames.push_back(name.getAsString().value_or("").str());
  return makeObject(std::move(tuple));
}

/// A number, a text, None or a type; null for others.
static ObjectRef readPlain(const Json &answer) {
  if (answer.get("none"))
    return frontend::makeNone();
  if (std::optional<bool> value = answer.getBoolean("bool"))
    return makeObject(*value);
  if (std::optional<llvm::StringRef> digits = answer.getString("int"))
    return makeObject(llvm::APSInt(llvm::APInt(unsigned(digits->size()) * 4 + 8, *digits, 10), /*isUnsigned=*/false));
  if (std::optional<llvm::StringRef> digits = answer.getString("float"))
    return makeObject(std::strtod(digits->str().c_str(), nullptr));
  if (std::optional<llvm::StringRef> text = answer.getString("str"))
    return makeObject(text->str());
  if (std::optional<llvm::StringRef> name = answer.getString("dtype"))
    if (std::optional<triton::base::ElementType> type = triton::base::parseElementType(name->str()))
      return makeObject(*type);
  return nullptr;
}

ObjectRef tritonc::readObject(const PythonRef &python, const Json &answer) {
  if (ObjectRef plain = readPlain(answer))
    return plain;
  if (const JsonArray *elements = answer.getArray("tuple"))
    return readTuple(python, answer, *elements);
  if (const JsonArray *named = answer.getArray("named")) // the language's own object, if it has one of this name
    if (ObjectRef member =
            frontend::languageMember((*named)[0].getAsString()->str(), std::string((*named)[1].getAsString()->str())))
      return member;
  if (const JsonArray *missing = answer.getArray("missing"))
    return makeMissing(*missing);
  if (std::optional<int64_t> number = answer.getInteger("value"))
    return makeObject(RuntimeValue{unsigned(*number)});
  if (std::optional<int64_t> handle = answer.getInteger("handle"))
    return makeValue(python, *handle, answer);
  if (answer.get("call"))
    return makeObject(makeFunction(python, answer));
  if (std::optional<llvm::StringRef> name = answer.getString("module")) {
    ObjectRef own = frontend::builtinModule(std::string_view(name->data(), name->size()));
    return own ? own : makeModule(python, name->str());
  }
  if (std::optional<llvm::StringRef> kernel = answer.getString("library_function"))
    return makeObject(
        frontend::LoadedModule::fromFile(textOf(answer, "file"), frontend::builtinModule)->function(kernel->str()));
  if (std::optional<llvm::StringRef> description = answer.getString("unsupported"))
    return unsupported(description->str());
  return nullptr;
}

void tritonc::useGluonOf(PythonRef python) {
  frontend::setGluonModules(
      [python = std::move(python), known = std::make_shared<KnownNames>()](std::string_view name) {
        return known->find(name, [&] { return makeModule(python, std::string(name)); });
      });
}

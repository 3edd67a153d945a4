#include "Kernel.h"
#include "Bindings.h"
#include "CompileThread.h"
#include "Errors.h"
#include "JitFunction.h"
#include "Objects.h"
#include "OperationListing.h"
#include "StorageOverlap.h"

#include "base/Json.h"
#include "base/LoadCount.h"
#include "compiler/AccessBytes.h"
#include "compiler/Cache.h"
#include "compiler/CacheKey.h"
#include "compiler/Devices.h"
#include "compiler/ExplanationText.h"
#include "compiler/ForkGate.h"
#include "compiler/TieredKernel.h"
#include "ir/AttributeNames.h"

#include "llvm/ADT/StringExtras.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <set>

namespace nb = nanobind;

namespace triton::python {

using compiler::Argument;

namespace {

//===-- Arguments ---------------------------------------------------------------------------------------------------===

nb::tuple extend(nb::tuple path, size_t index) { return nb::borrow<nb::tuple>(path + nb::make_tuple(index)); }

/// Makes arguments from the dicts of an ASTSource. Keys of `constants` and `attributes` are index paths: (0,), (1, 0).
struct ArgumentBuilder {
  nb::dict constants, divisibility;
  nb::set inRange;   ///< paths
  nb::dict storages; ///< by path

  Argument build(const std::string &name, nb::handle type, nb::tuple path) const {
    Argument argument;
    argument.name = name;
    if (constants.contains(path)) {
      argument.constant = toObject(nb::object(constants[path]).ptr());
      return argument;
    }
    if (nb::isinstance<nb::tuple>(type)) {
      argument.isTuple = true;
      argument.fieldNames = fieldNames(type.ptr());
      nb::tuple elements = nb::borrow<nb::tuple>(type);
      for (size_t i = 0; i < elements.size(); ++i)
        argument.elements.push_back(build(name + "." + std::to_string(i), elements[i], extend(path, i)));
      return argument;
    }
    std::string text = nb::cast<std::string>(nb::str(type));
    if (std::optional<base::DescriptorType> descriptor = base::parseDescriptorType(text))
      return buildDescriptor(name, *descriptor, path);
    std::optional<base::ElementType> parsed = base::parseElementType(text);
    if (!parsed)
      throw nb::key_error(("parameter `" + name + "`: `" + text + "` is not a type that a signature can have").c_str());
    argument.type = *parsed;
    if (divisibility.contains(path))
      argument.divisibility = nb::cast<int64_t>(divisibility[path]);
    argument.isInRange = inRange.contains(path);
    if (storages.contains(path))
      argument.storage = nb::cast<int>(storages[path]);
    return argument;
  }

private:
  Argument buildDescriptor(const std::string &name, const base::DescriptorType &type, nb::tuple path) const {
    Argument argument = frontend::describeDescriptor(name, type);
    for (size_t i = 0; i < argument.elements.size(); ++i) {
      nb::tuple part = extend(path, i);
      Argument &element = argument.elements[i];
      if (divisibility.contains(part))
        element.divisibility = std::max(element.divisibility, nb::cast<int64_t>(divisibility[part]));
      element.isInRange |= inRange.contains(part);
      if (storages.contains(part))
        element.storage = nb::cast<int>(storages[part]);
    }
    return argument;
  }
};

ArgumentList buildArguments(nb::list names, nb::list types, nb::dict constants, nb::dict divisibility, nb::set inRange,
                            nb::dict storages) {
  ArgumentBuilder builder{std::move(constants), std::move(divisibility), std::move(inRange), std::move(storages)};
  ArgumentList list;
  for (size_t i = 0; i < names.size(); ++i)
    list.arguments.push_back(builder.build(nb::cast<std::string>(names[i]), types[i], nb::make_tuple(i)));
  return list;
}

ArgumentList inStorages(const ArgumentList &list, const std::vector<int> &numbers) {
  ArgumentList result = list;
  setStorages(result.arguments, numbers);
  return result;
}

nb::object signatureOf(const Argument &argument) {
  if (argument.constant)
    return nb::str("constexpr");
  if (argument.descriptor)
    return nb::str(argument.descriptor->str().c_str());
  if (argument.isTuple) {
    nb::list elements;
    for (const Argument &element : argument.elements)
      elements.append(signatureOf(element));
    return nb::tuple(elements);
  }
  bool isBoolean = !argument.type.isPointer() && argument.type.scalar == base::ScalarType::Int1;
  return nb::str(isBoolean ? "u1" : argument.type.str().c_str());
}

/// Calls `visit(argument, path)` for every argument that has no elements.
template <typename Visitor> void visitLeaves(const std::vector<Argument> &arguments, nb::tuple path, Visitor visit) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    nb::tuple own = extend(path, i);
    if (arguments[i].hasElements())
      visitLeaves(arguments[i].elements, own, visit);
    else
      visit(arguments[i], own);
  }
}

/// Adds the names of each named tuple's fields by its path.
void addFields(const std::vector<Argument> &arguments, nb::tuple path, nb::dict &fields) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    nb::tuple own = extend(path, i);
    if (!arguments[i].fieldNames.empty())
      fields[own] = nb::tuple(nb::cast(arguments[i].fieldNames));
    addFields(arguments[i].elements, own, fields);
  }
}

nb::dict fieldsOf(const ArgumentList &list) {
  nb::dict fields;
  addFields(list.arguments, nb::tuple(), fields);
  return fields;
}

nb::dict signatureDict(const ArgumentList &list) {
  nb::dict result;
  for (const Argument &argument : list.arguments)
    result[argument.name.c_str()] = signatureOf(argument);
  return result;
}

nb::dict constantDict(const ArgumentList &list) {
  nb::dict result;
  visitLeaves(list.arguments, nb::make_tuple(), [&](const Argument &argument, nb::tuple path) {
    if (!argument.constant)
      return;
    try {
      result[path] = nb::steal(toPython(*argument.constant).release());
    } catch (nb::python_error &) {
      result[path] = nb::str(frontend::repr(*argument.constant).c_str());
    }
  });
  return result;
}

/// Whether pointers are known to share a storage. That each has its own is what launches suppose, and no attribute.
bool shareStorage(const ArgumentList &list) {
  std::set<int> seen;
  bool shares = false;
  visitLeaves(list.arguments, nb::make_tuple(), [&](const Argument &argument, const nb::tuple &) {
    shares |= argument.storage >= 0 && !seen.insert(argument.storage).second;
  });
  return shares;
}

nb::dict attributeDict(const ArgumentList &list) {
  nb::dict result;
  bool namesStorages = shareStorage(list);
  visitLeaves(list.arguments, nb::make_tuple(), [&](const Argument &argument, nb::tuple path) {
    nb::list facts;
    auto add = [&](llvm::StringLiteral name, int64_t value) {
      nb::list fact;
      fact.append(name.data());
      fact.append(value);
      facts.append(fact);
    };
    if (argument.divisibility != 1)
      add(tt::divisibilityAttribute, argument.divisibility);
    if (argument.isInRange && argument.type.isPointer())
      add(tt::pointerRangeAttribute, 32);
    else if (argument.isInRange)
      add(tt::nonnegativeAttribute, 1);
    if (namesStorages && argument.storage >= 0)
      add(tt::storageAttribute, argument.storage);
    if (nb::len(facts) != 0 && !argument.constant)
      result[path] = facts;
  });
  return result;
}

//===-- Compiling ---------------------------------------------------------------------------------------------------===

base::Target targetOf(nb::tuple target) {
  return {nb::cast<std::string>(target[0]), nb::cast<std::string>(nb::str(nb::handle(target[1]))),
          nb::cast<int>(target[2])};
}

/// Options that the compiler has a member for; all others go to `extra` as text.
base::Options optionsOf(nb::dict given) {
  base::Options options;
  for (auto [key, value] : given) {
    std::string name = nb::cast<std::string>(key);
#define TRITON_OPTION(type, member, text, standard)                                                                    \
  if (name == text) {                                                                                                  \
    options.member = nb::cast<type>(value);                                                                            \
    continue;                                                                                                          \
  }
#include "base/Options.def"
    options.extra[name] = nb::cast<std::string>(nb::str(value));
  }
  return options;
}

/// Runs the compiler; its exceptions become Python's.
KernelHandle compileRequest(const compiler::CompileRequest &request, const std::vector<bool> &declared,
                            int maxThreads) {
  KernelHandle handle;
  handle.maxThreads = maxThreads;
  try {
    handle.compiled = compileInterruptibly(request);
    handle.plan = std::make_shared<LaunchPlan>(handle.compiled, request.arguments, declared, maxThreads);
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
  return handle;
}

/// For the end of the process.
void waitForCompiler() {
  {
    nb::gil_scoped_release released;
    compiler::waitForWarmUp();
    compiler::stopMakingBetterCode();
  }
  waitForAbandonedCompilations();
}

/// functionOf with its exceptions converted to Python's.
std::shared_ptr<const frontend::Function> parsedFunction(nb::handle function) {
  try {
    return functionOf(function.ptr());
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

compiler::CompileRequest requestFor(nb::handle function, const ArgumentList &arguments, const std::string &kernelName,
                                    nb::tuple target, base::Options options) {
  compiler::CompileRequest request;
  request.function = parsedFunction(function);
  request.kernelName = kernelName;
  request.arguments = arguments.arguments;
  request.target = targetOf(std::move(target));
  request.options = std::move(options);
  return request;
}

/// What `compileFunction` returns, if a bundle that the process has loaded has the kernel.
std::optional<KernelHandle> findBundled(nb::handle function, const ArgumentList &arguments,
                                        const std::string &kernelName, nb::tuple target, const base::Options &options,
                                        int maxThreads) {
  compiler::CompileRequest request = requestFor(function, arguments, kernelName, std::move(target), options);
  request.isForLaunches = request.isForBundled = true;
  try {
    std::shared_ptr<const base::CompiledKernel> found;
    {
      nb::gil_scoped_release released; // A thread that forks waits for it, and compilations wait for that thread.
      found = compiler::compile(request);
    }
    if (!found)
      return std::nullopt;
    auto plan = std::make_shared<LaunchPlan>(found, request.arguments, arguments.declared, maxThreads);
    return KernelHandle{std::move(found), std::move(plan), maxThreads};
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

KernelHandle compileFunction(nb::handle function, const ArgumentList &arguments, const std::string &kernelName,
                             nb::tuple target, nb::dict options, int maxThreads, const std::string &lastStage) {
  compiler::CompileRequest request =
      requestFor(function, arguments, kernelName, std::move(target), optionsOf(std::move(options)));
  request.lastStage = lastStage;
  request.isForLaunches = true;
  return compileRequest(request, arguments.declared, maxThreads);
}

/// What `tritonc explain` knows of a kernel, which is not run: as text, or JSON.
std::string explainFunction(nb::handle function, const ArgumentList &arguments, const std::string &kernelName,
                            nb::tuple target, nb::dict options, bool asJson) {
  compiler::CompileRequest request =
      requestFor(function, arguments, kernelName, std::move(target), optionsOf(std::move(options)));
  request.explains = true;
  try {
    std::string explanation = compileInterruptibly(request)->artifacts.at("explain");
    if (asJson)
      return explanation;
    return compiler::explanationText(*llvm::cantFail(base::parseJson(explanation)).getAsObject());
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

std::vector<int64_t> accessBytes(nb::handle function, const ArgumentList &arguments, const std::string &kernelName,
                                 nb::tuple target, nb::dict options) {
  try {
    return compiler::accessBytes(
        requestFor(function, arguments, kernelName, std::move(target), optionsOf(std::move(options))));
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

ListedModule listed(const compiler::CompileRequest &request) {
  try {
    return {std::make_shared<compiler::OperationListing>(compiler::listOperations(request))};
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

ListedModule listOperations(nb::handle function, const ArgumentList &arguments, const std::string &kernelName,
                            nb::tuple target, nb::dict options) {
  return listed(requestFor(function, arguments, kernelName, std::move(target), optionsOf(std::move(options))));
}

compiler::CompileRequest requestForText(const std::string &text, const std::string &stage, const std::string &path,
                                        nb::tuple target, nb::dict options) {
  compiler::CompileRequest request;
  request.irText = text;
  request.irStage = stage;
  request.irPath = path;
  request.target = targetOf(target);
  request.options = optionsOf(options);
  return request;
}

ListedModule listOperationsOfText(const std::string &text, const std::string &stage, const std::string &path,
                                  nb::tuple target, nb::dict options) {
  return listed(requestForText(text, stage, path, std::move(target), std::move(options)));
}

KernelHandle compileText(const std::string &text, const std::string &stage, const std::string &path, nb::tuple target,
                         nb::dict options, int maxThreads, const std::string &lastStage) {
  compiler::CompileRequest request = requestForText(text, stage, path, std::move(target), std::move(options));
  request.lastStage = lastStage;
  return compileRequest(request, /*declared=*/{}, maxThreads);
}

//===-- Running a compiled kernel -----------------------------------------------------------------------------------===

void launchKernel(const KernelHandle &handle, nb::handle grid, nb::tuple arguments, std::optional<uintptr_t> stream) {
  std::array<int32_t, 3> extents;
  std::optional<void *> given;
  if (stream)
    given = reinterpret_cast<void *>(*stream);
  std::shared_ptr<const LaunchPlan> plan = handle.plan;
  std::vector<PyObject *> items;
  items.reserve(arguments.size());
  for (nb::handle argument : arguments)
    items.push_back(argument.ptr());
  if (!parseGrid(grid.ptr(), extents) || !plan->launch(extents, items.data(), items.size(), given))
    throw nb::python_error();
}

/// The clocks after which the last warp of a simulated launch's first program ends, on the simulator's simple machine
/// (simulator/core/Timeline.h). What the launch does wrong is not reported.
int64_t launchClocks(const KernelHandle &handle, nb::handle grid, nb::tuple arguments) {
  llvm::json::Object memory;
  try {
    MappedLaunches mapped(memory);
    launchKernel(handle, grid, std::move(arguments), std::nullopt);
  } catch (nb::python_error &) {
    if (memory.empty())
      throw;
  }
  const llvm::json::Object *time = memory.getObject("time");
  if (!time)
    throw std::invalid_argument("`" + handle.compiled->name + "` was not compiled for the simulator of a GPU");
  int64_t end = 0;
  for (const llvm::json::Value &lane : *time->getArray("lanes"))
    end = std::max(end, lane.getAsObject()->getInteger("end").value_or(0));
  return end;
}

nb::object runnerOf(const KernelHandle &handle) {
  nb::object runner = nb::steal(makeRunner(handle.plan));
  if (!runner.is_valid())
    throw nb::python_error();
  return runner;
}

//===-- Passing a compiled kernel to another process ----------------------------------------------------------------===

/// From this tuple `setKernelState` makes the kernel again, without a compilation and without the disk cache.
nb::tuple stateOfKernel(const KernelHandle &handle) {
  nb::dict artifacts;
  for (const auto &[name, bytes] : handle.compiled->artifacts)
    artifacts[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
  return nb::make_tuple(handle.compiled->hash, handle.compiled->metadata, artifacts, handle.plan->describe(),
                        handle.maxThreads);
}

void setKernelState(KernelHandle &handle, nb::tuple state) {
  std::map<std::string, std::string> artifacts;
  for (auto [name, bytes] : nb::cast<nb::dict>(state[2])) {
    nb::bytes data = nb::cast<nb::bytes>(bytes);
    artifacts.emplace(nb::cast<std::string>(name), std::string(data.c_str(), data.size()));
  }
  auto *made = new (&handle) KernelHandle();
  try {
    made->compiled =
        compiler::restore(nb::cast<std::string>(state[0]), nb::cast<std::string>(state[1]), std::move(artifacts));
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
  if (!made->compiled)
    throw nb::value_error("the state of a compiled kernel is damaged");
  made->maxThreads = nb::cast<int>(state[4]);
  made->plan = std::make_shared<LaunchPlan>(made->compiled, nb::cast<nb::list>(state[3]), made->maxThreads);
}

/// (function handle, registers, bytes of local memory, most threads) of the kernel on the current device; zeros when
/// this process cannot run it.
nb::tuple loadKernel(const KernelHandle &handle) {
  if (!handle.compiled->loaded)
    return nb::make_tuple(0, 0, 0, 0);
  try {
    base::KernelFacts facts = handle.compiled->loaded->load();
    return nb::make_tuple(facts.function, facts.registers, facts.localBytes, facts.maxThreads);
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
}

/// The lists of options that users may read, under their names in Python.
nb::dict languageOptions(nb::tuple target) {
  base::LanguageOptions options;
  try {
    options = compiler::languageOptions(targetOf(target), base::Environment::read());
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
  nb::list floats;
  for (base::ScalarType type : options.float8Types)
    floats.append(base::ElementType{type}.str());
  nb::dict result;
  result["supported_fp8_dtypes"] = nb::tuple(floats);
  result["allowed_dot_input_precisions"] = nb::tuple(nb::cast(options.inputPrecisions));
  result["default_dot_input_precision"] = options.defaultInputPrecision;
  return result;
}

std::string folderOfKey(const std::string &key) {
  if (std::string bytes; !llvm::tryGetFromHex(key, bytes))
    throw nb::value_error(("the key `" + key + "` is not a hexadecimal number").c_str());
  return compiler::cacheFolderName(key);
}

/// The bytes of a stage's artifact, which may be made only now that it is asked for.
nb::bytes artifactOf(const KernelHandle &handle, const std::string &stage) {
  std::string bytes;
  try {
    nb::gil_scoped_release released;
    bytes = compiler::artifact(*handle.compiled, stage);
  } catch (...) {
    setPythonError();
    throw nb::python_error();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

} // namespace

void registerKernel(nb::module_ &module) {
  nb::class_<ArgumentList>(module, "Arguments", "The arguments that a kernel is compiled for.")
      .def_static("build", &buildArguments, nb::arg("names"), nb::arg("types"), nb::arg("constants"),
                  nb::arg("divisibility"), nb::arg("in_range"), nb::arg("storages"), Locked())
      .def("in_storages", &inStorages, nb::arg("numbers"),
           "The same in numbered storages, by slot; without numbers each in its own, which launches check.")
      .def_prop_ro("signature", &signatureDict)
      .def_prop_ro("fields", &fieldsOf)
      .def_prop_ro("constants", &constantDict, Locked())
      .def_prop_ro("attributes", &attributeDict);

  nb::class_<base::Options>(module, "Options", "The options of compilations, for many of them.")
      .def_static("build", &optionsOf, nb::arg("given"));

  nb::class_<KernelHandle>(module, "Kernel", "A compiled kernel.")
      .def_prop_ro("name", [](const KernelHandle &handle) { return handle.compiled->name; })
      .def_prop_ro("hash", [](const KernelHandle &handle) { return handle.compiled->hash; })
      .def_prop_ro("is_from_bundle", [](const KernelHandle &handle) { return handle.compiled->isFromBundle; })
      .def_prop_ro("is_from_cache", [](const KernelHandle &handle) { return handle.compiled->isFromCache; })
      .def_prop_ro("metadata", [](const KernelHandle &handle) { return handle.compiled->metadata; })
      .def_prop_ro("stages", [](const KernelHandle &handle) { return compiler::artifactNames(*handle.compiled); })
      .def("artifact", &artifactOf, nb::arg("stage"))
      .def("load", &loadKernel)
      .def_prop_ro("runner", &runnerOf)
      .def("launch", &launchKernel, nb::arg("grid"), nb::arg("arguments"), nb::arg("stream").none() = nb::none(),
           Locked())
      .def("clocks", &launchClocks, nb::arg("grid"), nb::arg("arguments"), Locked(),
           "The clocks of the first program of a launch in the simulator, by its simple machine.")
      .def("__getstate__", &stateOfKernel)
      .def("__setstate__", &setKernelState);

  module.def("compile", &compileFunction, Locked(), nb::arg("function"), nb::arg("arguments"), nb::arg("kernel_name"),
             nb::arg("target"), nb::arg("options"), nb::arg("max_threads"), nb::arg("last_stage") = "");
  module.def("find_bundled", &findBundled, Locked(), nb::arg("function"), nb::arg("arguments"), nb::arg("kernel_name"),
             nb::arg("target"), nb::arg("options"), nb::arg("max_threads"));
  module.def("explain", &explainFunction, Locked(), nb::arg("function"), nb::arg("arguments"), nb::arg("kernel_name"),
             nb::arg("target"), nb::arg("options"), nb::arg("as_json"), "What `tritonc explain` knows of a kernel.");
  module.def("access_bytes", &accessBytes, Locked(), nb::arg("function"), nb::arg("arguments"), nb::arg("kernel_name"),
             nb::arg("target"), nb::arg("options"), "The bytes that each access of a block may move at once.");
  module.def("list_operations", &listOperations, Locked(), nb::arg("function"), nb::arg("arguments"),
             nb::arg("kernel_name"), nb::arg("target"), nb::arg("options"), "What the source says, before any pass.");
  module.def("list_operations_of_text", &listOperationsOfText, Locked(), nb::arg("text"), nb::arg("stage"),
             nb::arg("path"), nb::arg("target"), nb::arg("options"), "What a text of IR says, before any pass.");
  module.def("language_options", &languageOptions, nb::arg("target"), "What of a target kernels depend on.");
  module.def("cache_folder_name", &folderOfKey, nb::arg("key"), "The cache's folder for a hexadecimal key.");
  module.def(
      "source_hash", [](nb::handle function) { return compiler::hashFunction(*parsedFunction(function)); }, Locked());
  module.def(
      "load_count", [] { return nb::make_tuple(base::loadCount.loads.load(), base::loadCount.nanoseconds.load()); },
      "(loads of kernels on devices in this process, the nanoseconds that they took).");
  module.def("warm_up", &compiler::warmUp, "Sets the compiler up in the background.");
  module.def("hold_compilations", &compiler::holdCompilations, nb::call_guard<nb::gil_scoped_release>(),
             "Waits until no other thread compiles, and lets none begin: before a fork.");
  module.def("release_compilations", [](bool isChild) {
    isChild ? compiler::releaseCompilationsInChild() : compiler::releaseCompilationsInParent();
  });
  module.def("wait_for_compiler", &waitForCompiler, Locked(), "Waits for what the compiler does in the background.");
  module.def("compile_text", &compileText, Locked(), nb::arg("text"), nb::arg("stage"), nb::arg("path"),
             nb::arg("target"), nb::arg("options"), nb::arg("max_threads"), nb::arg("last_stage") = "");
}

} // namespace triton::python

#include "compiler/KernelMetadata.h"

#include "base/Json.h"
#include "base/PackedBytes.h"
#include "base/Version.h"

#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::compiler;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static void flatten(const std::vector<Argument> &arguments, std::vector<RuntimeArgument> &out) {
  for (const Argument &argument : arguments) {
    if (argument.hasElements())
      flatten(argument.elements, out);
    else if (!argument.constant)
      out.push_back({argument.name, argument.type, argument.divisibility});
  }
}

std::vector<RuntimeArgument> compiler::flattenRuntimeArguments(const std::vector<Argument> &arguments) {
  std::vector<RuntimeArgument> flat;
  flatten(arguments, flat);
  return flat;
}

/// A number or a boolean if the text is one, which is what it was before it became text.
static Value optionValue(const std::string &text) {
  if (text == "True" || text == "False") // as Python writes it
    return text == "True";
  if (llvm::Expected<Value> parsed = base::parseJson(text)) {
    if (parsed->kind() != Value::Object && parsed->kind() != Value::Array)
      return *parsed;
  } else {
    llvm::consumeError(parsed.takeError());
  }
  return llvm::json::fixUTF8(text);
}

static Array describeSignature(const std::vector<RuntimeArgument> &arguments) {
  Array signature;
  for (const RuntimeArgument &argument : arguments)
    signature.push_back(Object{{"name", llvm::json::fixUTF8(argument.name)},
                               {"type", argument.type.str()},
                               {"divisibility", argument.divisibility},
                               {"stored", argument.isStored}});
  return signature;
}

/// The members of a tensor map that are expressions, which the metadata has as text.
static Array describe(const std::vector<LaunchExpression> &expressions) {
  Array texts;
  for (const LaunchExpression &expression : expressions)
    texts.push_back(expression.str());
  return texts;
}

static Array describe(const std::vector<TensorMapParameter> &maps) {
  Array array;
  for (const TensorMapParameter &map : maps)
    array.push_back(Object{{"name", llvm::json::fixUTF8(map.name)},
                           {"element", std::string(base::shortName(map.element))},
                           {"base", map.base.str()},
                           {"shape", describe(map.shape)},
                           {"strides", describe(map.strides)},
                           {"box", Array(map.box)},
                           {"swizzle", map.swizzleBytes},
                           {"nan", map.padsWithNaN},
                           {"tf32", map.roundsToTF32},
                           {"fp4_padded", map.fp4Padded}});
  return array;
}

static Array describe(const std::vector<base::DeviceMessage> &messages) {
  Array array;
  for (const base::DeviceMessage &message : messages)
    array.push_back(Object{{"format", llvm::json::fixUTF8(message.format)}, {"failure", message.isFailure}});
  return array;
}

static void addResults(Object &metadata, const StageResults &results) {
  metadata["shared"] = results.sharedBytes;
  metadata["scratch_bytes"] = results.scratchBytes;
  metadata["num_warps"] = results.numWarps;
  if (results.launchWarps)
    metadata["launch_warps"] = results.launchWarps;
  if (results.blocks != 1)
    metadata["blocks"] = results.blocks;
  if (!results.tensorMaps.empty())
    metadata["tensor_maps"] = describe(results.tensorMaps);
  if (!results.disjointPairs.empty()) {
    Array pairs;
    for (auto [first, second] : results.disjointPairs)
      pairs.push_back(Array{first, second});
    metadata["disjoint_pairs"] = std::move(pairs);
  }
  if (!results.messages.empty())
    metadata["messages"] = describe(results.messages);
  if (results.registers)
    metadata["n_regs"] = *results.registers;
  if (results.spillBytes)
    metadata["n_spills"] = *results.spillBytes;
  if (!results.resources.empty()) {
    Object resources;
    for (const auto &[name, count] : results.resources)
      resources[name] = count;
    metadata["resources"] = std::move(resources);
  }
  if (!results.llirPath.empty())
    metadata["llir_path"] = llvm::json::fixUTF8(results.llirPath);
}

std::string compiler::writeMetadata(const CompiledKernel &kernel, const Environment &environment) {
  const Options &options = kernel.options;
  Object metadata;
  for (const auto &[name, value] : options.extra)
    metadata[name] = optionValue(value);
  metadata["hash"] = kernel.hash;
  metadata["name"] = kernel.name;
  metadata["triton_version"] = base::version();
  metadata["target"] =
      Object{{"backend", kernel.target.backend}, {"arch", kernel.target.arch}, {"warp_size", kernel.target.warpSize}};
  addResults(metadata, kernel.results);
  metadata["num_stages"] = options.numStages;
  metadata["num_ctas"] = options.numCtas;
  metadata["debug"] = options.debug;
  metadata["sanitize_overflow"] = options.sanitizeOverflow;
  metadata["enable_fp_fusion"] = options.enableFpFusion;
  metadata["arch"] = options.arch;
  metadata["signature"] = describeSignature(kernel.arguments);
  Array variables;
  const std::string key = environment.cacheKey();
  for (llvm::StringRef line : llvm::split(llvm::StringRef(key).rtrim('\n'), '\n'))
    if (!line.empty())
      variables.push_back(llvm::json::fixUTF8(line));
  metadata["environment"] = std::move(variables);
  std::string text;
  llvm::raw_string_ostream(text) << Value(std::move(metadata));
  return text;
}

static bool readSignature(const Array &signature, std::vector<RuntimeArgument> &arguments) {
  for (const Value &value : signature) {
    const Object *object = value.getAsObject();
    auto type = object ? object->getString("type") : std::nullopt;
    auto parsed = type ? base::parseElementType(*type) : std::nullopt;
    if (!parsed)
      return false;
    RuntimeArgument argument;
    argument.name = object->getString("name").value_or("").str();
    argument.type = *parsed;
    argument.divisibility = object->getInteger("divisibility").value_or(1);
    argument.isStored = object->getBoolean("stored").value_or(true);
    arguments.push_back(std::move(argument));
  }
  return true;
}

static bool readExpression(std::optional<llvm::StringRef> text, LaunchExpression &expression) {
  auto parsed = text ? LaunchExpression::parse(*text) : std::nullopt;
  if (parsed)
    expression = std::move(*parsed);
  return parsed.has_value();
}

static bool readExpressions(const Array *texts, std::vector<LaunchExpression> &expressions) {
  return texts && llvm::all_of(*texts, [&](const Value &text) {
           return readExpression(text.getAsString(), expressions.emplace_back());
         });
}

static bool readTensorMap(const Object &object, TensorMapParameter &map) {
  map.name = object.getString("name").value_or("").str();
  auto element = base::parseScalarType(object.getString("element").value_or(""));
  const Array *box = object.getArray("box");
  if (!element || !box || !readExpression(object.getString("base"), map.base) ||
      !readExpressions(object.getArray("shape"), map.shape) ||
      !readExpressions(object.getArray("strides"), map.strides))
    return false;
  map.element = *element;
  for (const Value &extent : *box)
    map.box.push_back(uint32_t(extent.getAsInteger().value_or(0)));
  map.swizzleBytes = unsigned(object.getInteger("swizzle").value_or(0));
  map.padsWithNaN = object.getBoolean("nan").value_or(false);
  map.roundsToTF32 = object.getBoolean("tf32").value_or(false);
  map.fp4Padded = object.getBoolean("fp4_padded").value_or(false);
  return true;
}

static bool readTensorMaps(const Array *array, CompiledKernel &kernel) {
  if (!array)
    return true;
  return llvm::all_of(*array, [&](const Value &value) {
    const Object *object = value.getAsObject();
    return object && readTensorMap(*object, kernel.results.tensorMaps.emplace_back());
  });
}

static bool readMessages(const Array *array, std::vector<base::DeviceMessage> &messages) {
  if (!array)
    return true;
  return llvm::all_of(*array, [&](const Value &value) {
    const Object *object = value.getAsObject();
    std::optional<llvm::StringRef> format = object ? object->getString("format") : std::nullopt;
    if (format)
      messages.push_back({format->str(), object->getBoolean("failure").value_or(false)});
    return format.has_value();
  });
}

static bool readDisjointPairs(const Array *array, CompiledKernel &kernel) {
  if (!array)
    return true;
  return llvm::all_of(*array, [&](const Value &value) {
    const Array *pair = value.getAsArray();
    auto first = pair && pair->size() == 2 ? (*pair)[0].getAsInteger() : std::nullopt;
    auto second = first ? (*pair)[1].getAsInteger() : std::nullopt;
    if (!second || *first != unsigned(*first) || *second != unsigned(*second))
      return false;
    kernel.results.disjointPairs.emplace_back(unsigned(*first), unsigned(*second));
    return true;
  });
}

/// Whether what was read of a kernel names arguments that it has, and gives it memory that there can be.
static bool isConsistent(const CompiledKernel &kernel) {
  const StageResults &results = kernel.results;
  std::size_t count = kernel.arguments.size();
  auto isSound = [&](const TensorMapParameter &map) { return checkTensorMap(map, count).empty(); };
  auto isPair = [&](std::pair<unsigned, unsigned> pair) { return pair.first < count && pair.second < count; };
  return results.scratchBytes >= 0 && llvm::all_of(results.tensorMaps, isSound) &&
         llvm::all_of(results.disjointPairs, isPair);
}

bool compiler::readMetadata(CompiledKernel &kernel, const std::string &text) {
  llvm::Expected<Value> parsed = base::parseJson(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const Object *root = parsed->getAsObject();
  if (!root || root->getString("hash") != llvm::StringRef(kernel.hash))
    return false;
  auto name = root->getString("name");
  auto scratchBytes = root->getInteger("scratch_bytes");
  const Array *signature = root->getArray("signature");
  const Object *target = root->getObject("target");
  if (!name || !scratchBytes || !signature || !target)
    return false;
  kernel.name = name->str();
  kernel.options.arch = root->getString("arch").value_or("").str();
  for (const auto &[option, value] : *root)
    if (llvm::StringRef(option).starts_with("launch_") && value.getAsBoolean())
      kernel.options.extra[option.str()] = *value.getAsBoolean() ? "True" : "False";
  kernel.results.scratchBytes = *scratchBytes;
  kernel.results.sharedBytes = root->getInteger("shared").value_or(0);
  kernel.results.numWarps = int(root->getInteger("num_warps").value_or(0));
  kernel.results.launchWarps = int(root->getInteger("launch_warps").value_or(0));
  kernel.results.blocks = int(root->getInteger("blocks").value_or(1));
  kernel.results.llirPath = root->getString("llir_path").value_or("").str();
  kernel.target.backend = target->getString("backend").value_or("").str();
  kernel.target.arch = target->getString("arch").value_or("").str();
  kernel.target.warpSize = int(target->getInteger("warp_size").value_or(0));
  return readSignature(*signature, kernel.arguments) && readTensorMaps(root->getArray("tensor_maps"), kernel) &&
         readDisjointPairs(root->getArray("disjoint_pairs"), kernel) &&
         readMessages(root->getArray("messages"), kernel.results.messages) && isConsistent(kernel);
}

// ---- What launches need of it, packed ----

/// Passes a value through the text that `print` makes of it and `parse` reads.
template <typename Stream, typename T, typename Print, typename Parse>
static void packText(Stream &stream, T &value, Print print, Parse parse) {
  if constexpr (Stream::reads) {
    llvm::StringRef text;
    stream(text);
    if (auto parsed = parse(text))
      value = std::move(*parsed);
    else
      stream.fail();
  } else {
    stream(print(value));
  }
}

template <typename Stream> static void pack(Stream &stream, LaunchExpression &expression) {
  packText(stream, expression, [](auto &each) { return each.str(); }, LaunchExpression::parse);
}

template <typename Stream> static void pack(Stream &stream, RuntimeArgument &argument) {
  stream(argument.name);
  packText(stream, argument.type, [](auto &type) { return type.str(); }, base::parseElementType);
  stream(argument.divisibility);
  stream(argument.isStored);
}

template <typename Stream> static void pack(Stream &stream, TensorMapParameter &map) {
  auto packOne = [&](LaunchExpression &expression) { pack(stream, expression); };
  stream(map.name);
  packText(stream, map.element, [](auto type) { return std::string(base::shortName(type)); }, base::parseScalarType);
  packOne(map.base);
  stream.list(map.shape, packOne);
  stream.list(map.strides, packOne);
  stream.list(map.box, [&](uint32_t &extent) { stream(extent); });
  stream(map.swizzleBytes);
  stream(map.padsWithNaN);
  stream(map.roundsToTF32);
  stream(map.fp4Padded);
}

/// All that readMetadata sets but the JSON itself.
template <typename Stream> static void pack(Stream &stream, CompiledKernel &kernel) {
  StageResults &results = kernel.results;
  stream(kernel.hash);
  stream(kernel.name);
  stream(kernel.options.arch);
  std::vector<std::pair<std::string, std::string>> options(kernel.options.extra.begin(), kernel.options.extra.end());
  stream.list(options, [&](auto &option) {
    stream(option.first);
    stream(option.second);
  });
  kernel.options.extra.insert(options.begin(), options.end());
  stream(kernel.target.backend);
  stream(kernel.target.arch);
  stream(kernel.target.warpSize);
  stream(results.scratchBytes);
  stream(results.sharedBytes);
  stream(results.numWarps);
  stream(results.launchWarps);
  stream(results.blocks);
  stream(results.llirPath);
  stream.list(kernel.arguments, [&](RuntimeArgument &argument) { pack(stream, argument); });
  stream.list(results.tensorMaps, [&](TensorMapParameter &map) { pack(stream, map); });
  stream.list(results.disjointPairs, [&](auto &pair) {
    stream(pair.first);
    stream(pair.second);
  });
  stream.list(results.messages, [&](base::DeviceMessage &message) {
    stream(message.format);
    stream(message.isFailure);
  });
}

std::string compiler::packForLaunches(CompiledKernel &kernel) {
  base::PackingWriter writer;
  pack(writer, kernel);
  return std::move(writer.bytes);
}

bool compiler::readPacked(CompiledKernel &kernel, llvm::StringRef bytes) {
  const std::string hash = kernel.hash;
  base::PackingReader reader(bytes);
  pack(reader, kernel);
  return reader.isComplete() && kernel.hash == hash && isConsistent(kernel);
}

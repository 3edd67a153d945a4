#include "compiler/KernelMetadata.h"

#include "compiler/Version.h"

#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::compiler;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static void flatten(const std::vector<Argument> &arguments, std::vector<Argument> &out) {
  for (const Argument &argument : arguments) {
    if (argument.isTuple)
      flatten(argument.elements, out);
    else if (!argument.constant)
      out.push_back(argument);
  }
}

std::vector<Argument> compiler::flattenRuntimeArguments(const std::vector<Argument> &arguments) {
  std::vector<Argument> flat;
  flatten(arguments, flat);
  return flat;
}

/// A number or a boolean where the text is one, as it was before it became text.
static Value optionValue(const std::string &text) {
  if (llvm::Expected<Value> parsed = llvm::json::parse(text)) {
    if (parsed->kind() != Value::Object && parsed->kind() != Value::Array)
      return *parsed;
  } else {
    llvm::consumeError(parsed.takeError());
  }
  return llvm::json::fixUTF8(text);
}

void compiler::buildMetadata(CompiledKernel &kernel, const Options &options, const Environment &environment,
                             Object fromStages) {
  Object metadata = std::move(fromStages);
  for (const auto &[name, value] : options.extra)
    metadata[name] = optionValue(value);
  metadata["hash"] = kernel.hash;
  metadata["name"] = kernel.name;
  metadata["triton_version"] = version;
  metadata["target"] =
      Object{{"backend", kernel.target.backend}, {"arch", kernel.target.arch}, {"warp_size", kernel.target.warpSize}};
  metadata.try_emplace("shared", 0);
  metadata["scratch_bytes"] = int64_t(kernel.scratchBytes);
  metadata.try_emplace("num_warps", options.numWarps);
  metadata["num_stages"] = options.numStages;
  metadata["num_ctas"] = options.numCtas;
  metadata["debug"] = options.debug;
  metadata["sanitize_overflow"] = options.sanitizeOverflow;
  metadata["enable_fp_fusion"] = options.enableFpFusion;
  metadata["arch"] = options.arch;
  Array signature;
  for (const Argument &argument : kernel.arguments)
    signature.push_back(Object{{"name", llvm::json::fixUTF8(argument.name)},
                               {"type", argument.type.str()},
                               {"divisibility", argument.divisibility}});
  metadata["signature"] = std::move(signature);
  Array variables;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(environment.cacheKey()).rtrim('\n'), '\n'))
    if (!line.empty())
      variables.push_back(llvm::json::fixUTF8(line));
  metadata["environment"] = std::move(variables);
  kernel.metadata.clear();
  llvm::raw_string_ostream(kernel.metadata) << Value(std::move(metadata));
}

static bool restoreArguments(const Array &signature, std::vector<Argument> &arguments) {
  for (const Value &value : signature) {
    const Object *object = value.getAsObject();
    auto type = object ? object->getString("type") : std::nullopt;
    auto parsed = type ? frontend::parseElementType(*type) : std::nullopt;
    if (!parsed)
      return false;
    Argument argument;
    argument.name = object->getString("name").value_or("").str();
    argument.type = *parsed;
    argument.divisibility = object->getInteger("divisibility").value_or(1);
    arguments.push_back(std::move(argument));
  }
  return true;
}

bool compiler::restoreFromMetadata(CompiledKernel &kernel, const std::string &metadata) {
  llvm::Expected<Value> parsed = llvm::json::parse(metadata);
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
  if (!name || !scratchBytes || *scratchBytes < 0 || !signature || !target)
    return false;
  kernel.name = name->str();
  kernel.scratchBytes = std::size_t(*scratchBytes);
  kernel.target.backend = target->getString("backend").value_or("").str();
  kernel.target.arch = target->getString("arch").value_or("").str();
  kernel.target.warpSize = int(target->getInteger("warp_size").value_or(0));
  kernel.metadata = metadata;
  return restoreArguments(*signature, kernel.arguments);
}

#include "aot/CppSource.h"

#include "aot/AotBackend.h"
#include "aot/CppGpuSource.h"
#include "aot/CppRuntime.h"
#include "aot/CpuSource.h"
#include "aot/Errors.h"
#include "aot/Text.h"
#include "triton/bundle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <numeric>

namespace triton::aot {
namespace {

using llvm::StringRef;
using Kind = CppCondition::Kind;

constexpr char headerText[] = R"(/* Kernel `$KERNEL$`, compiled ahead of time for $TARGETS$. */
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

$SHARED$
$OPEN$/* Launches the kernel on a device. A function of one device that is called often is an operator, see below. */
void $FUNCTION$(const triton_aot::Device &tt_device, void *stream$PARAMETERS$);

/* The kernel on one device. All functions throw triton_aot::Error; several threads may call an operator at a time. */
class $CLASS$ {
public:
  enum class Variant {
$VARIANTS$  };

  /* Loads the newest code that the device runs. */
  explicit $CLASS$(const triton_aot::Device &device, Variant variant = Variant::$DEFAULT$);

  /* Launches the kernel. For CUDA, `stream` is a CUstream or cudaStream_t, for HIP a hipStream_t; pointers are addresses
     of the GPU, and the launch returns at once. On the CPU the stream is not used, and the kernel has run when the call
     returns. */
  void operator()(void *stream$PARAMETERS$) const;

  /* The target of the code that was chosen, such as "cuda:90". */
  const char *target() const noexcept;

private:
  struct State;
  std::shared_ptr<const State> tt_state;
};
$CLOSE$)";

constexpr char sourceStart[] = R"(/* Kernel `$KERNEL$`, compiled ahead of time for $TARGETS$. */
#include "$HEADER$"

#include <stdint.h>
#include <string.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>
$GPU_INCLUDES$)";

constexpr char gpuIncludes[] = R"(#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
)";

constexpr char candidates[] = R"(
/* The code of a variant for a target. */
struct tt_Candidate {
  int variant;
  triton_aot::Device::Kind kind;
  const char *target;
  const char *(*missing)(); /* what a processor lacks */
  int capability;           /* of CUDA */
  bool only_this_capability;
  const char *architecture; /* of HIP */
  std::unique_ptr<tt_Loaded> (*load_all)(int device, const tt_Load *loads, int count);
  const tt_Load *loads;
  int load_count;
  void (*launch)(const tt_Code *tt_codes, void *stream$PARAMETERS$);
};

/* Those that are preferred come first. */
const tt_Candidate tt_candidates[] = {
$ROWS$};

bool tt_fits(const tt_Candidate &candidate, const tt_Gpu &gpu) {
  if (candidate.kind == triton_aot::Device::Kind::Cpu)
    return candidate.missing() == nullptr;
  if (candidate.kind == triton_aot::Device::Kind::Hip)
    return candidate.architecture == gpu.architecture;
  return candidate.only_this_capability ? candidate.capability == gpu.capability
                                        : candidate.capability / 10 == gpu.capability / 10 &&
                                              candidate.capability <= gpu.capability;
}

std::string tt_describe(triton_aot::Device::Kind kind, const tt_Gpu &gpu) {
  if (kind == triton_aot::Device::Kind::Cpu)
    return "this processor";
  if (kind == triton_aot::Device::Kind::Hip)
    return gpu.architecture.empty() ? "GPUs of AMD" : "a GPU of the architecture " + gpu.architecture;
  return gpu.capability == 0 ? "GPUs of NVIDIA"
                             : "a GPU of compute capability " + std::to_string(gpu.capability / 10) + "." +
                                   std::to_string(gpu.capability % 10);
}

const tt_Candidate &tt_choose(triton_aot::Device::Kind kind, int variant, const tt_Gpu &gpu) {
  const char *missing = nullptr;
  for (const tt_Candidate &candidate : tt_candidates) {
    if (candidate.variant != variant || candidate.kind != kind)
      continue;
    if (tt_fits(candidate, gpu))
      return candidate;
    if (candidate.missing != nullptr)
      missing = candidate.missing();
  }
  throw triton_aot::Error(std::string("kernel `") + tt_kernel + "` has no code for " + tt_describe(kind, gpu) +
                          (missing ? std::string(", which lacks ") + missing : "") +
                          "; it was compiled for $TARGETS$");
}
)";

constexpr char cpuErrors[] = R"(
void tt_require_run(int code) {
  if (code != 0)
    throw triton_aot::Error(std::string("kernel `") + tt_kernel + "`: " +
                            (code == EINVAL ? "the grid is too large" : std::strerror(code)));
}
)";

constexpr char classText[] = R"(
struct $CLASS$::State {
  State(const triton_aot::Device &device, int variant) {
    tt_Gpu gpu; /* where there is code for such a device */
$OPENING$    candidate = &tt_choose(device.kind, variant, gpu);
    if (candidate->load_all != nullptr)
      loaded = candidate->load_all(gpu.number, candidate->loads, candidate->load_count);
  }
  const tt_Candidate *candidate;
  std::unique_ptr<tt_Loaded> loaded;
};

$CLASS$::$CLASS$(const triton_aot::Device &device, Variant variant)
    : tt_state(std::make_shared<const State>(device, static_cast<int>(variant))) {}

void $CLASS$::operator()(void *stream$PARAMETERS$) const {
$CHECKS$  tt_state->candidate->launch(tt_state->loaded ? tt_state->loaded->codes.data() : nullptr, stream$ARGUMENTS$);
}

const char *$CLASS$::target() const noexcept { return tt_state->candidate->target; }

void $FUNCTION$(const triton_aot::Device &tt_device, void *stream$PARAMETERS$) {
  using tt_Operators = std::map<std::pair<triton_aot::Device::Kind, int>, $CLASS$>;
  static std::mutex tt_mutex;
  static tt_Operators &tt_operators = *new tt_Operators; /* for as long as the program runs */
  const $CLASS$ *tt_operator = nullptr;
  {
    const std::lock_guard<std::mutex> tt_lock(tt_mutex);
    const auto tt_key = std::make_pair(tt_device.kind, tt_device.index);
    auto tt_found = tt_operators.find(tt_key);
    if (tt_found == tt_operators.end())
      tt_found = tt_operators.emplace(tt_key, $CLASS$(tt_device)).first;
    tt_operator = &tt_found->second;
  }
  (*tt_operator)(stream$ARGUMENTS$);
}
)";

constexpr char opening[] = R"(    if (device.kind == triton_aot::Device::Kind::$KIND$)
      gpu = tt_open_$BACKEND$(device.index);
)";

/// Writes the files of one kernel.
class CppWriter {
public:
  CppWriter(const CppKernel &kernel, const std::vector<CppTarget> &targets) : kernel(kernel), targets(targets) {
    std::vector<std::string> names;
    for (const CppTarget &target : targets) {
      if (llvm::is_contained(names, target.name))
        throw Error("the target `" + target.name + "` is given twice");
      names.push_back(target.name);
      isFor.insert(backendOf(target));
    }
    targetNames = llvm::join(names, ", ");
    for (const std::string &part : kernel.namespaces)
      prefix += part + "_";
    prefix += kernel.functionName;
  }

  std::string header() const;
  std::string source(const std::string &headerName) const;

private:
  static StringRef backendOf(const CppTarget &target) { return target.kernels.front()->target.backend; }
  static bool isCpu(const CppTarget &target) { return backendOf(target) == "cpu"; }

  std::vector<std::size_t> targetsByPreference() const;
  Specification named(std::size_t signature, const CppTarget &target) const;
  std::string condition(const CppCondition &condition) const;
  std::string refusals(const CppVariant &variant) const;
  std::string launchFunction(std::size_t variant, std::size_t target) const;
  std::string call(std::size_t signature, const CppTarget &target, std::size_t position) const;
  std::string candidateRow(std::size_t variant, std::size_t target, std::string &loads) const;
  bool isForGpus() const;
  std::string runtime() const;
  std::string classMembers() const;
  std::string nullChecks() const;
  std::string openNamespaces() const;
  std::string closeNamespaces() const;

  const CppKernel &kernel;
  const std::vector<CppTarget> &targets;
  llvm::StringSet<> isFor; ///< backends
  std::string targetNames;
  std::string prefix; ///< of functions that other files of a program could see
};

/// The newest GPU first, and the processor with most features.
std::vector<std::size_t> CppWriter::targetsByPreference() const {
  auto rank = [&](std::size_t index) -> std::size_t {
    const base::CompiledKernel &compiled = *targets[index].kernels.front();
    const AotBackend &backend = *findAotBackend(compiled.target.backend);
    return backend.isGpu() ? backend.capabilityOf(compiled.target.arch) : testedFeatures(compiled.options.arch).size();
  };
  std::vector<std::size_t> order(targets.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](std::size_t left, std::size_t right) {
    std::size_t first = rank(left), second = rank(right);
    return first != second ? first > second : left < right;
  });
  return order;
}

/// The specification with the name of the function for this target.
Specification CppWriter::named(std::size_t signature, const CppTarget &target) const {
  Specification result = kernel.signatures[signature].specification;
  std::string suffix = llvm::join(llvm::split(result.fileSuffix, ':'), "_") + "_" + std::to_string(signature);
  std::string name;
  for (char c : target.name)
    name += llvm::isAlnum(c) ? c : '_';
  result.functionName = prefix + "_" + suffix + "_" + name;
  return result;
}

std::string CppWriter::condition(const CppCondition &condition) const {
  const Parameter &parameter = kernel.parameters[condition.parameter];
  switch (condition.kind) {
  case Kind::Null:
    return parameter.cName + " == nullptr";
  case Kind::NotNull:
    return parameter.cName + " != nullptr";
  case Kind::One:
    return parameter.cName + " == 1";
  case Kind::MultipleOf16:
    return (parameter.type.isPointer() ? "reinterpret_cast<std::uintptr_t>(" + parameter.cName + ")"
                                       : parameter.cName) +
           " % 16 == 0";
  }
  llvm_unreachable("all kinds are handled");
}

/// The call of the function of a signature, with an error where that fails.
std::string CppWriter::call(std::size_t signature, const CppTarget &target, std::size_t position) const {
  Specification specification = named(signature, target);
  std::string arguments;
  for (const Parameter &parameter : specification.parameters) {
    if (!parameter.isInPrototype())
      continue;
    bool isAddress = !isCpu(target) && parameter.type.isPointer();
    arguments += ", " + (isAddress ? "reinterpret_cast<std::uintptr_t>(" + parameter.cName + ")" : parameter.cName);
  }
  if (!isCpu(target))
    return "tt_require_" + backendOf(target).str() + "(" + specification.functionName + "(tt_codes[" +
           std::to_string(position) + "], stream" + arguments + "), \"launching\")";
  return "tt_require_run(" + specification.functionName + "(stream" + arguments + "))";
}

/// Statements that name the argument for which no signature serves the call: one that the least special refuses.
std::string CppWriter::refusals(const CppVariant &variant) const {
  static const std::pair<Kind, StringRef> problems[] = {
      {Kind::MultipleOf16, "is not a multiple of 16, which all variants need"},
      {Kind::One, "is not 1, which all variants need"},
      {Kind::Null, "has to be null for these other arguments"},
      {Kind::NotNull, "is null, which no variant takes for these other arguments"},
  };
  std::string statements;
  for (const CppCondition &each : kernel.signatures[variant.signatures.back()].conditions) {
    const auto *problem = llvm::find_if(problems, [&](const auto &entry) { return entry.first == each.kind; });
    statements += instantiate("  if (!($TEST$))\n    throw triton_aot::ArgumentError(tt_kernel, \"$NAME$\", "
                              "\"$PROBLEM$\");\n",
                              {{"TEST", condition(each)},
                               {"NAME", kernel.parameters[each.parameter].name},
                               {"PROBLEM", problem->second.str()}});
  }
  return statements;
}

std::string CppWriter::launchFunction(std::size_t variant, std::size_t target) const {
  std::string statements;
  bool isAlwaysServed = false;
  for (auto [position, signature] : llvm::enumerate(kernel.variants[variant].signatures)) {
    std::vector<std::string> tests;
    for (const CppCondition &each : kernel.signatures[signature].conditions)
      tests.push_back(condition(each));
    std::string statement = call(signature, targets[target], position);
    isAlwaysServed = tests.empty();
    statements += tests.empty() ? "  " + statement + ";\n"
                                : "  if (" + llvm::join(tests, " && ") + ")\n    return " + statement + ";\n";
  }
  if (!isAlwaysServed)
    statements += refusals(kernel.variants[variant]);
  return instantiate("\nvoid tt_launch_$V$_$T$(const tt_Code *tt_codes, void *stream$PARAMETERS$) {\n$UNUSED$$BODY$}\n",
                     {{"V", std::to_string(variant)},
                      {"T", std::to_string(target)},
                      {"PARAMETERS", declareAllCpp(kernel)},
                      {"UNUSED", isCpu(targets[target]) ? "  (void)tt_codes;\n" : ""},
                      {"BODY", statements}});
}

std::string CppWriter::candidateRow(std::size_t variant, std::size_t target, std::string &loads) const {
  const CppTarget &chosen = targets[target];
  const std::vector<std::size_t> &signatures = kernel.variants[variant].signatures;
  const AotBackend &backend = *findAotBackend(backendOf(chosen));
  const std::string &arch = chosen.kernels.front()->target.arch;
  const unsigned capability = backend.capabilityOf(arch);
  std::string missing = "nullptr", loadArray = "nullptr";
  if (isCpu(chosen)) {
    // What one signature needs the others may not: code with tiles tests for all that code without them does.
    auto strictest = llvm::find_if(signatures, [&](std::size_t each) { return usesTiles(*chosen.kernels[each]); });
    std::size_t tested = strictest == signatures.end() ? signatures.front() : *strictest;
    missing = named(tested, chosen).functionName + "_missing_feature";
  } else {
    loadArray = "tt_loads_" + std::to_string(variant) + "_" + std::to_string(target);
    auto names = llvm::map_range(
        signatures, [&](std::size_t signature) { return named(signature, chosen).functionName + "_load"; });
    loads += "\nconst tt_Load " + loadArray + "[] = {" + llvm::join(names, ", ") + "};\n";
  }
  return instantiate(
      "    {$V$, triton_aot::Device::Kind::$KIND$, \"$TARGET$\", $MISSING$, $CAPABILITY$, $EXACT$, $ARCH$, "
      "$LOAD_ALL$,\n     $LOADS$, $COUNT$, tt_launch_$V$_$T$},\n",
      {{"V", std::to_string(variant)},
       {"KIND", backend.deviceKind},
       {"TARGET", chosen.name},
       {"MISSING", missing},
       {"CAPABILITY", std::to_string(capability)},
       {"EXACT", int(capability) >= TRITON_BUNDLE_EXACT_CAPABILITY ? "true" : "false"},
       {"ARCH", backend.isGpu() && !backend.hasCapabilities ? "\"" + arch + "\"" : "nullptr"},
       {"LOAD_ALL", isCpu(chosen) ? "nullptr" : "tt_load_all_" + backend.name},
       {"LOADS", loadArray},
       {"COUNT", isCpu(chosen) ? "0" : std::to_string(signatures.size())},
       {"T", std::to_string(target)}});
}

std::string CppWriter::nullChecks() const {
  std::string checks;
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters))
    if (parameter.isInPrototype() && parameter.type.isPointer() && !kernel.isNullable(index))
      checks += instantiate("  if ($C$ == nullptr)\n    throw triton_aot::ArgumentError(tt_kernel, \"$NAME$\", \"is "
                            "null\");\n",
                            {{"C", parameter.cName}, {"NAME", parameter.name}});
  return checks;
}

std::string CppWriter::openNamespaces() const {
  std::string text;
  for (const std::string &name : kernel.namespaces)
    text += "namespace " + name + " {\n";
  return text + "\n";
}

std::string CppWriter::closeNamespaces() const {
  std::string text = "\n";
  for (const std::string &name : llvm::reverse(kernel.namespaces))
    text += "} // namespace " + name + "\n";
  return text;
}

std::string CppWriter::header() const {
  std::string variants;
  for (const CppVariant &variant : kernel.variants)
    variants += "    " + variant.name + ",\n";
  return instantiate(headerText, {{"KERNEL", kernel.kernelName},
                                  {"TARGETS", targetNames},
                                  {"SHARED", cppSharedTypes()},
                                  {"OPEN", openNamespaces()},
                                  {"FUNCTION", kernel.functionName},
                                  {"CLASS", kernel.className},
                                  {"PARAMETERS", declareAllCpp(kernel)},
                                  {"VARIANTS", variants},
                                  {"DEFAULT", kernel.variants.front().name},
                                  {"CLOSE", closeNamespaces()}});
}

std::string CppWriter::classMembers() const {
  std::string arguments;
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isInPrototype())
      arguments += ", " + parameter.cName;
  std::string openings;
  for (const AotBackend &backend : aotBackends())
    if (backend.isGpu() && isFor.contains(backend.name))
      openings += instantiate(opening, {{"KIND", backend.deviceKind}, {"BACKEND", backend.name}});
  return instantiate(classText, {{"CLASS", kernel.className},
                                 {"FUNCTION", kernel.functionName},
                                 {"OPENING", openings},
                                 {"PARAMETERS", declareAllCpp(kernel)},
                                 {"ARGUMENTS", arguments},
                                 {"CHECKS", nullChecks()}});
}

bool CppWriter::isForGpus() const {
  return llvm::any_of(aotBackends(),
                      [&](const AotBackend &backend) { return backend.isGpu() && isFor.contains(backend.name); });
}

std::string CppWriter::runtime() const {
  bool hasTensorMaps = llvm::any_of(targets, [](const CppTarget &target) {
    return llvm::any_of(target.kernels, [](const auto &compiled) { return !compiled->results.tensorMaps.empty(); });
  });
  std::string text = cppDeviceTypes();
  if (isForGpus())
    text += cppDriverLoading();
  for (const AotBackend &backend : aotBackends())
    if (backend.isGpu() && isFor.contains(backend.name))
      text += backend.cppRuntime(hasTensorMaps);
  return text + (isFor.contains("cpu") ? cpuErrors : "");
}

std::string CppWriter::source(const std::string &headerName) const {
  std::string processors, gpus, launches, loads, rows;
  for (const CppTarget &target : targets)
    for (auto [index, compiled] : llvm::enumerate(target.kernels)) {
      Specification specification = named(index, target);
      if (isCpu(target))
        processors += "\n" + writeCpuSource(specification, *compiled, *findAotBackend("cpu"));
      else
        gpus += writeCppGpuFunctions(specification, *compiled);
    }
  for (std::size_t target : targetsByPreference())
    for (std::size_t variant = 0; variant < kernel.variants.size(); ++variant) {
      launches += launchFunction(variant, target);
      rows += candidateRow(variant, target, loads);
    }
  std::string start = instantiate(sourceStart, {{"KERNEL", kernel.kernelName},
                                                {"TARGETS", targetNames},
                                                {"HEADER", headerName},
                                                {"GPU_INCLUDES", isForGpus() ? gpuIncludes : ""}});
  std::string table =
      instantiate(candidates, {{"PARAMETERS", declareAllCpp(kernel)}, {"ROWS", rows}, {"TARGETS", targetNames}});
  return start + processors + "\nnamespace {\n\nconst char tt_kernel[] = \"" + kernel.functionName + "\";\n" +
         runtime() + gpus + launches + loads + table + "\n} // namespace\n\n" + openNamespaces() +
         StringRef(classMembers()).ltrim('\n').str() + closeNamespaces();
}

} // namespace

std::vector<GeneratedFile> generateCpp(const CppKernel &kernel, const std::vector<CppTarget> &targets,
                                       const std::string &headerName) {
  CppWriter writer(kernel, targets);
  return {{".h", writer.header()}, {".cpp", writer.source(headerName)}};
}

} // namespace triton::aot

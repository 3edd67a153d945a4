#include "aot/Bundle.h"

#include "aot/AotBackend.h"
#include "aot/BundleFormat.h"
#include "aot/BundleMaps.h"
#include "aot/CompileFile.h"
#include "aot/CpuLibrary.h"
#include "aot/CpuSource.h"
#include "aot/Errors.h"
#include "aot/GpuSource.h"
#include "aot/OutputFiles.h"
#include "aot/SourceKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <exception>

using namespace triton;
using namespace triton::aot;

namespace {

/// A target as the bundle names it.
struct BundleTarget {
  std::string text; ///< as the user wrote it
  std::string name; ///< "cuda:90", "hip:gfx942", "cpu:x86-64-v3"
  base::Target target;
  std::string processor; ///< of cpu
};

struct BundleKernel {
  SourceKernel source;
  CppKernel joined;
};

} // namespace

static std::vector<BundleTarget> readTargets(const std::vector<std::string> &texts) {
  std::vector<BundleTarget> targets;
  for (const std::string &text : texts) {
    BundleTarget target;
    target.text = text;
    target.target = readTarget(text, target.processor);
    const std::string &arch = target.target.backend == "cpu" ? target.processor : target.target.arch;
    target.name = target.target.backend + (arch.empty() ? "" : ":" + arch);
    if (llvm::any_of(targets, [&](const BundleTarget &other) { return other.name == target.name; }))
      throw Error("target `" + text + "` is given twice");
    targets.push_back(std::move(target));
  }
  return targets;
}

static BundleKernel readKernel(const BundleKernelRequest &request) {
  SourceKernel source(request.path, request.kernel.kernelName);
  std::vector<Specification> specifications;
  for (const std::string &signature : request.signatures) {
    Request each = request.kernel;
    each.signature = signature;
    each.grid = "1, 1, 1"; // callers compute the grid
    specifications.push_back(source.specify(std::move(each)));
  }
  CppKernel joined = source.withPlace([&] { return joinSignatures(std::move(specifications), /*namespaces=*/{}); });
  return {std::move(source), std::move(joined)};
}

/// Throws Error if an earlier kernel has the name of the last one.
static void checkNames(const std::vector<BundleKernel> &kernels, const std::string &path) {
  llvm::StringRef name = kernels.back().joined.signatures.front().specification.outName;
  for (const BundleKernel &other : llvm::ArrayRef(kernels).drop_back())
    if (other.joined.signatures.front().specification.outName == name)
      throw Error("two kernels have the name `" + name.str() + "`; give one another name, as in " + name.str() +
                  "2=" + path);
}

/// The bytes that the loader of the target loads. Throws Error when a program in C cannot launch the kernel.
static std::string codeOf(const Specification &specification, const base::CompiledKernel &kernel) {
  if (kernel.target.backend == "cpu")
    return linkCpuLibrary(specification, kernel);
  requireLaunchable(specification, kernel);
  return kernel.artifacts.at(findAotBackend(kernel.target.backend)->binary);
}

/// The runtime parameters of the kernel: for each parameter its index among them.
static std::vector<uint32_t> numberParameters(const CppKernel &kernel) {
  std::vector<uint32_t> numbers;
  numbers.reserve(kernel.parameters.size());
  uint32_t next = 0;
  for (const Parameter &parameter : kernel.parameters)
    numbers.push_back(parameter.isInPrototype() ? next++ : ~0u);
  return numbers;
}

static triton_bundle_condition conditionOf(const CppCondition &condition, llvm::ArrayRef<uint32_t> numbers) {
  auto kind = [&]() -> uint32_t {
    switch (condition.kind) {
    case CppCondition::Kind::MultipleOf16:
      return TRITON_BUNDLE_MULTIPLE_OF_16;
    case CppCondition::Kind::One:
      return TRITON_BUNDLE_ONE;
    case CppCondition::Kind::Null:
      return TRITON_BUNDLE_NULL;
    case CppCondition::Kind::NotNull:
      return TRITON_BUNDLE_NOT_NULL;
    }
    llvm_unreachable("every kind has a number");
  };
  return {numbers[condition.parameter], kind()};
}

/// A signature that is compiled for a target.
namespace {
struct BundleCode {
  std::shared_ptr<const base::CompiledKernel> kernel;
  std::string bytes;
  std::vector<int64_t> maps;
};
} // namespace

static BundleCode compileSignature(const BundleKernel &kernel, const CppSignature &signature,
                                   const BundleTarget &target) {
  auto compiled = kernel.source.compile(signature.specification, target.text);
  if (compiled->results.blocks != 1)
    throw KernelError("kernel `" + compiled->name +
                      "` cannot be written into a bundle: clusters of blocks run its programs; " +
                      "compile it with `num_ctas=1`");
  std::string bytes = codeOf(signature.specification, *compiled);
  std::vector<int64_t> maps = writeTensorMapWords(*compiled);
  return {std::move(compiled), std::move(bytes), std::move(maps)};
}

static void addSignature(BundleFormat &format, const CppSignature &signature, const BundleCode &code,
                         llvm::ArrayRef<uint32_t> numbers) {
  const base::CompiledKernel &kernel = *code.kernel;
  bool isCpu = kernel.target.backend == "cpu";
  triton_bundle_file_signature record{};
  format.addCode(record, code.bytes);
  record.scratch_bytes = uint64_t(kernel.results.scratchBytes);
  record.symbol = format.text(kernel.name);
  record.warps = isCpu ? 1 : uint32_t(kernel.results.numWarps);
  record.threads = isCpu ? 1 : uint32_t(kernel.results.startedWarps() * kernel.target.warpSize);
  record.shared_bytes = uint32_t(kernel.results.sharedBytes);
  record.first_argument = uint32_t(format.arguments.size());
  for (auto [index, parameter] : llvm::enumerate(signature.specification.parameters))
    if (parameter.isInPrototype())
      format.arguments.push_back(numbers[index]);
  record.argument_count = uint32_t(format.arguments.size()) - record.first_argument;
  record.first_condition = uint32_t(format.conditions.size());
  for (const CppCondition &condition : signature.conditions)
    format.conditions.push_back(conditionOf(condition, numbers));
  record.condition_count = uint32_t(signature.conditions.size());
  record.first_word = uint32_t(format.words.size());
  record.map_count = uint32_t(kernel.results.tensorMaps.size());
  llvm::append_range(format.words, code.maps);
  format.signatures.push_back(record);
}

/// The entry of one variant of a kernel for one target.
static void addEntry(BundleFormat &format, const BundleKernel &kernel, const CppVariant &variant,
                     const BundleTarget &target, llvm::ArrayRef<BundleCode> codes) {
  const CppKernel &joined = kernel.joined;
  triton_bundle_file_entry entry{};
  entry.name = format.text(joined.signatures.front().specification.outName);
  entry.variant = format.text(variant.name);
  entry.constants = format.text(variant.description);
  entry.target = format.text(target.name);
  const AotBackend &backend = *findAotBackend(target.target.backend);
  entry.backend = backend.bundleNumber;
  entry.capability = backend.capabilityOf(target.target.arch);
  entry.architecture = format.text(backend.isGpu() ? target.target.arch : target.processor);
  entry.first_parameter = uint32_t(format.parameters.size());
  for (const Parameter &parameter : joined.parameters)
    if (parameter.isInPrototype())
      format.parameters.push_back({format.text(parameter.name), format.text(parameter.type.str())});
  entry.parameter_count = uint32_t(format.parameters.size()) - entry.first_parameter;
  entry.first_signature = uint32_t(format.signatures.size());
  entry.signature_count = uint32_t(variant.signatures.size());
  std::vector<uint32_t> numbers = numberParameters(joined);
  bool withTiles = false;
  for (std::size_t index : variant.signatures) {
    addSignature(format, joined.signatures[index], codes[index], numbers);
    withTiles |= !backend.isGpu() && usesTiles(*codes[index].kernel);
  }
  entry.features = format.text(backend.isGpu() ? "" : requiredFeatures(target.processor, withTiles));
  format.entries.push_back(entry);
}

/// Adds nothing if a signature cannot be compiled.
static void addKernel(BundleFormat &format, const BundleKernel &kernel, llvm::ArrayRef<BundleTarget> targets) {
  std::vector<std::vector<BundleCode>> codes;
  for (const BundleTarget &target : targets) {
    codes.emplace_back();
    for (const CppSignature &signature : kernel.joined.signatures)
      codes.back().push_back(compileSignature(kernel, signature, target));
  }
  for (const CppVariant &variant : kernel.joined.variants)
    for (auto [target, ofTarget] : llvm::zip_equal(targets, codes))
      addEntry(format, kernel, variant, target, ofTarget);
}

static void write(const BundleRequest &request, BundleFormat &format) {
  for (const auto &[name, bytes] : request.items)
    format.addItem(name, bytes);
  writeFiles({{request.output, format.finish(request.key)}});
}

void aot::writeBundle(const BundleRequest &request) {
  std::vector<BundleTarget> targets = readTargets(request.targets);
  std::vector<BundleKernel> kernels;
  for (const BundleKernelRequest &each : request.kernels) {
    kernels.push_back(readKernel(each));
    checkNames(kernels, each.path);
  }
  BundleFormat format;
  for (const BundleKernel &kernel : kernels)
    addKernel(format, kernel, targets);
  write(request, format);
}

std::vector<std::string> aot::writeBundleOfWhatFits(const BundleRequest &request) {
  std::vector<BundleTarget> targets = readTargets(request.targets);
  std::vector<std::string> refused;
  BundleFormat format;
  std::vector<BundleKernel> kernels;
  for (const BundleKernelRequest &each : request.kernels)
    try {
      kernels.push_back(readKernel(each));
      checkNames(kernels, each.path);
      addKernel(format, kernels.back(), targets);
    } catch (const std::exception &error) {
      refused.push_back("`" + each.kernel.kernelName + "` of " + each.path + ": " + error.what());
    }
  write(request, format);
  return refused;
}

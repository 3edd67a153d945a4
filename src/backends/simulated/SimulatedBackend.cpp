#include "backends/simulated/SimulatedBackend.h"

#include "backends/MessageBuffer.h"
#include "backends/simulated/MemoryMap.h"
#include "backends/simulated/SimulatedDevices.h"
#include "base/CheckedViews.h"
#include "base/Environment.h"
#include "base/LaunchObserver.h"
#include "base/LlvmText.h"
#include "base/PassRunner.h"
#include "base/ProgramOrders.h"
#include "base/StageError.h"
#include "base/TensorMapNumbers.h"
#include "base/UnwrittenReads.h"
#include "simulator/Decode.h"
#include "simulator/core/BothWays.h"
#include "simulator/core/Launch.h"
#include "simulator/core/TensorMap.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace triton::backends {
namespace {

using base::ArrayExtent;

base::StageMessage messageAt(const simulator::SourceLocation &location, std::string text) {
  auto place = [](const simulator::SourcePosition &at) { return base::SourcePlace{at.file, at.line, at.column}; };
  base::StageMessage message{std::move(text), place(location), {}, {}};
  llvm::append_range(message.callers, llvm::map_range(location.callers, place));
  return message;
}

/// A kernel in the form that the simulator runs.
class SimulatedKernel final : public base::LoadedKernel {
public:
  SimulatedKernel(const base::CompiledKernel &kernel, std::unique_ptr<simulator::Program> program,
                  const DeviceLimits &limits, unsigned threads, std::size_t sharedBytes)
      : name(kernel.name), arguments(kernel.arguments), tensorMaps(kernel.results.tensorMaps),
        messages(kernel.results.messages), program(std::move(program)), limits(limits), threads(threads),
        sharedBytes(sharedBytes), blocks(kernel.results.blocks) {
    if (base::Environment::read().simulateBothWays)
      simulator::runsBothWays() = true;
  }

  bool checksAccesses() const override { return true; }

  void launch(const base::KernelLaunch &programs) const override {
    base::KernelLaunch launch = programs;
    if (__builtin_mul_overflow(launch.grid[0], blocks, &launch.grid[0]))
      refuseGrid(programs,
                 llvm::formatv("each program has {0} blocks, and a launch at most {1}", blocks, INT32_MAX).str());
    std::size_t given = launch.arguments.size() + tensorMaps.size() + (messages.empty() ? 0 : 1);
    if (given != program->parameters.size())
      throw base::LaunchError(llvm::formatv("kernel `{0}` has {1} parameters, but the launch passes {2} arguments",
                                            name, program->parameters.size(), given)
                                  .str());
    checkLimits(launch);
    Prepared prepared;
    prepare(launch, prepared);
    simulator::LaunchResult result =
        base::DeviceGroup::ofThread().group ? runBesideOthers(prepared) : runAlone(launch, prepared);
    if (prepared.buffer)
      nameAssertions(result.findings, prepared.buffer->print(messages));
    if (!result.findings.empty())
      fail(launch, result.findings);
    if (!result.unwrittenReads.empty())
      base::unwrittenReads().add(render(result.unwrittenReads));
  }

private:
  /// What a launch passes to the simulator, and what lives as long as it runs.
  struct Prepared {
    simulator::LaunchConfiguration configuration;
    std::vector<uint64_t> parameters;
    std::vector<simulator::Allocation> accessible;
    std::vector<simulator::TensorMap> encoded;
    base::TensorMapPadding padding = base::tensorMapPadding;
    std::optional<MessageBuffer> buffer;
  };

  void prepare(const base::KernelLaunch &launch, Prepared &prepared) const {
    prepared.encoded.resize(tensorMaps.size());
    prepared.parameters.assign(launch.arguments.begin(), launch.arguments.end());
    prepared.accessible = allocations(launch.arrays);
    auto addPadding = [&] {
      auto address = reinterpret_cast<uintptr_t>(&prepared.padding);
      prepared.accessible.push_back({"the padding of tensor maps", address, sizeof(prepared.padding)});
      return address;
    };
    for (auto [map, place] : llvm::zip_equal(tensorMaps, prepared.encoded)) {
      encode(map, launch, addPadding, place);
      prepared.parameters.push_back(reinterpret_cast<uintptr_t>(&place));
    }
    if (!messages.empty()) {
      MessageBuffer &buffer = prepared.buffer.emplace();
      prepared.parameters.push_back(reinterpret_cast<uintptr_t>(buffer.data()));
      prepared.accessible.push_back({"the memory for messages", uintptr_t(prepared.parameters.back()), buffer.bytes()});
    }
    simulator::LaunchConfiguration &configuration = prepared.configuration;
    for (unsigned i = 0; i < 3; ++i)
      configuration.grid[i] = uint32_t(launch.grid[i]);
    configuration.threads = threads;
    configuration.dynamicSharedBytes = sharedBytes;
    configuration.parameters = reachableMemory(launch);
    configuration.unwritten = base::unwrittenReads().word;
  }

  /// As one of several devices (base/DeviceGroup.h). Such launches are neither counted nor drawn.
  simulator::LaunchResult runBesideOthers(Prepared &prepared) const {
    const base::DeviceGroup::Member &member = base::DeviceGroup::ofThread();
    simulator::LaunchResult result = static_cast<SimulatedDevices &>(*member.group)
                                         .launch({member.device, program.get(), std::move(prepared.configuration),
                                                  prepared.parameters, std::move(prepared.accessible)});
    if (result.interrupted)
      throw base::LaunchError("the launch of kernel `" + name + "` was given up together with those of other devices");
    return result;
  }

  simulator::LaunchResult runAlone(const base::KernelLaunch &launch, Prepared &prepared) const {
    simulator::LaunchConfiguration &configuration = prepared.configuration;
    if (launch.interrupted)
      configuration.interrupted = launch.interrupted;
    base::LaunchObserver *observer = base::launchObserver();
    configuration.orders = launch.memoryMap ? 1 : base::programOrders().load();
    configuration.counts = observer || launch.memoryMap;
    std::optional<simulator::AccessMap> map;
    simulator::Timeline timeline;
    std::string printed;
    if (launch.memoryMap) {
      configuration.map = &map.emplace(prepared.accessible, sharedBytes + program->staticSharedBytes);
      configuration.timeline = &timeline;
      configuration.print = [&](llvm::StringRef text) { printed = text.str(); };
    }
    int64_t begin = observer ? base::launchClock() : 0;
    simulator::LaunchResult result =
        simulator::launch(*program, configuration, prepared.parameters, std::move(prepared.accessible));
    int64_t end = observer ? base::launchClock() : 0;
    if (result.interrupted)
      throw base::LaunchInterrupted();
    if (map) {
      *launch.memoryMap = describeMemory(*map, *program, result, printed);
      (*launch.memoryMap)["time"] = describeTime(timeline);
    }
    if (observer && result.findings.empty()) [[unlikely]]
      report(*observer, launch, begin, end, result.counts);
    return result;
  }

  void report(base::LaunchObserver &observer, const base::KernelLaunch &launch, int64_t begin, int64_t end,
              const simulator::LaunchCounts &counts) const {
    const base::LaunchCount named[] = {
        {"instructions", counts.instructions},           {"thread_instructions", counts.threadInstructions},
        {"global_load_bytes", counts.globalLoadBytes},   {"global_store_bytes", counts.globalStoreBytes},
        {"global_sectors", counts.globalSectors},        {"shared_load_bytes", counts.sharedLoadBytes},
        {"shared_store_bytes", counts.sharedStoreBytes}, {"shared_wavefronts", counts.sharedWavefronts},
        {"bank_conflicts", counts.bankConflicts},        {"local_bytes", counts.localBytes},
        {"barrier_arrivals", counts.barrierArrivals}};
    base::LaunchReport launched{
        name, "SIMULATOR", begin, end, named, {}, {launch.grid[0] / blocks, launch.grid[1], launch.grid[2]}};
    observer.launched(launched);
  }

  /// Adds to failed assertions what the kernel has left of the first one: `device assertion failed: text`, and lines
  /// with its place.
  static void nameAssertions(std::vector<simulator::Finding> &findings, llvm::StringRef failure) {
    llvm::StringRef text = failure.split("\n  at ").first.split(": ").second;
    for (simulator::Finding &finding : findings)
      if (finding.kind == simulator::FindingKind::AssertionFailed && finding.detail.empty())
        finding.detail = text.empty() ? "the condition is false" : ("`" + text + "`").str();
  }

  [[noreturn]] void refuseGrid(const base::KernelLaunch &launch, const std::string &why) const {
    throw base::LaunchError(llvm::formatv("cannot launch kernel `{0}` over the grid ({1}, {2}, {3}); {4}", name,
                                          launch.grid[0], launch.grid[1], launch.grid[2], why)
                                .str());
  }

  void checkLimits(const base::KernelLaunch &launch) const {
    if (int64_t(sharedBytes) > limits.sharedBytes)
      throw base::OutOfResourcesError(name, int64_t(sharedBytes), limits.sharedBytes, "shared memory");
    for (auto [extent, limit] : llvm::zip_equal(launch.grid, limits.grid))
      if (extent > limit)
        refuseGrid(launch, llvm::formatv("the extents of a grid are at most ({0}, {1}, {2})", limits.grid[0],
                                         limits.grid[1], limits.grid[2])
                               .str());
    constexpr unsigned mostPrograms = 8; // in a cluster, on every GPU that has clusters
    std::array<uint32_t, 3> cluster = program->requiredCluster.value_or(std::array<uint32_t, 3>{1, 1, 1});
    if (uint64_t(cluster[0]) * cluster[1] * cluster[2] > mostPrograms)
      throw base::LaunchError(llvm::formatv("cannot launch kernel `{0}` in clusters of ({1}, {2}, {3}) programs; a "
                                            "cluster has at most {4}",
                                            name, cluster[0], cluster[1], cluster[2], mostPrograms)
                                  .str());
    for (auto [extent, part] : llvm::zip_equal(launch.grid, cluster))
      if (extent % part != 0)
        refuseGrid(launch, llvm::formatv("its extents must be multiples of those of a cluster, ({0}, {1}, {2})",
                                         cluster[0], cluster[1], cluster[2])
                               .str());
  }

  void encode(const base::TensorMapParameter &map, const base::KernelLaunch &launch,
              llvm::function_ref<uint64_t()> paddingAddress, simulator::TensorMap &encoded) const {
    base::TensorMapNumbers numbers = base::computeTensorMap(map, name, launch.arguments, arguments, paddingAddress);
    auto ofRank = [&](const auto &array) { return llvm::ArrayRef(array).take_front(numbers.rank); };
    simulator::TensorMapArguments given{
        numbers.type,          numbers.address,
        ofRank(numbers.sizes), llvm::ArrayRef(numbers.strides).take_front(numbers.rank - 1),
        ofRank(numbers.box),   ofRank(numbers.elementStrides),
        numbers.interleave,    numbers.swizzle,
        numbers.l2Promotion,   numbers.fill};
    if (std::string wrong = simulator::encodeTensorMap(given, encoded); !wrong.empty())
      base::refuseTensorMap(map, name, numbers, wrong);
  }

  /// Arrays that share memory count as one, named by the first argument. Freed memory counts if no other array has it.
  std::vector<simulator::Allocation> allocations(std::span<const ArrayExtent> arrays) const {
    std::vector<ArrayExtent> sorted(arrays.begin(), arrays.end());
    llvm::sort(sorted, [](const ArrayExtent &a, const ArrayExtent &b) {
      return std::tie(a.begin, a.argument) < std::tie(b.begin, b.argument);
    });
    std::vector<simulator::Allocation> merged;
    for (const ArrayExtent &array : sorted) {
      if ((array.bytes == 0 && array.begin == 0) || !array.live) // the extent is not known
        continue;
      bool isCommon = array.argument == ArrayExtent::noArgument;
      if (!merged.empty() && array.begin < merged.back().begin + merged.back().size) {
        merged.back().size = std::max(merged.back().size, array.begin + array.bytes - merged.back().begin);
        merged.back().isCommon |= isCommon;
        continue;
      }
      merged.push_back({array.argument < arguments.size() ? arguments[array.argument].name : "other memory",
                        array.begin, array.bytes, /*live=*/true, isCommon});
    }
    std::vector<simulator::Allocation> freed;
    for (const ArrayExtent &array : arrays)
      if (!array.live && llvm::none_of(merged, [&](const simulator::Allocation &other) {
            return other.begin < array.begin + array.bytes && array.begin < other.begin + other.size;
          }))
        freed.push_back({"other memory", array.begin, array.bytes, /*live=*/false});
    llvm::append_range(merged, freed);
    return merged;
  }

  /// The memory of each pointer, by the name of its own argument. A null pointer, as of an array without elements, has
  /// none.
  std::vector<simulator::ParameterMemory> reachableMemory(const base::KernelLaunch &launch) const {
    std::vector<simulator::ParameterMemory> parameters;
    auto isKnown = [&](const ArrayExtent &array) {
      return array.begin != 0 ||
             (array.bytes == 0 && launch.arguments.size() == arguments.size() && launch.arguments[array.argument] == 0);
    };
    for (const ArrayExtent &array : launch.arrays)
      if (array.argument < arguments.size() && array.live && isKnown(array))
        addView(parameters.emplace_back(
            array.argument, simulator::Allocation{arguments[array.argument].name, array.begin, array.bytes}));
    return parameters;
  }

  static void addView(simulator::ParameterMemory &parameter) {
    for (const base::ArrayElements &view : base::CheckedViews::ofLaunch()) {
      if (view.argument != parameter.parameter)
        continue;
      std::vector<simulator::StridedView::Dimension> dimensions;
      dimensions.reserve(view.dimensions.size());
      for (auto [extent, stride] : view.dimensions)
        dimensions.push_back({extent, stride});
      parameter.view.emplace(view.begin, view.elementBytes, std::move(dimensions));
      parameter.isRestOwn = view.isRestOwn;
      return;
    }
  }

  static std::vector<std::string> render(const std::vector<simulator::Finding> &findings) {
    std::vector<std::string> rendered;
    for (const simulator::Finding &finding : findings) {
      std::string one = base::renderUserError(messageAt(finding.location, finding.message()), finding.remedy().str(),
                                              /*known=*/nullptr);
      rendered.push_back(llvm::StringRef(one).rtrim().str());
    }
    return rendered;
  }

  [[noreturn]] void fail(const base::KernelLaunch &launch, const std::vector<simulator::Finding> &findings) const {
    std::string text =
        llvm::formatv("kernel `{0}` over the grid ({1}, {2}, {3}): {4} {5} in the simulator", name, launch.grid[0],
                      launch.grid[1], launch.grid[2], findings.size(), findings.size() == 1 ? "error" : "errors")
            .str();
    std::vector<std::string> rendered = render(findings);
    for (const std::string &one : rendered)
      text += "\n" + one;
    throw base::SimulationError(text, std::move(rendered));
  }

  std::string name;
  std::vector<base::RuntimeArgument> arguments;
  std::vector<base::TensorMapParameter> tensorMaps;
  std::vector<base::DeviceMessage> messages;
  std::unique_ptr<simulator::Program> program;
  DeviceLimits limits;
  unsigned threads;
  std::size_t sharedBytes;
  int blocks; ///< of a program
};

llvm::ArrayRef<Stage> upToLlvm(llvm::ArrayRef<Stage> stages) {
  const Stage *last = llvm::find_if(stages, [](const Stage &stage) { return stage.form == StageForm::Llvm; });
  return stages.take_front(std::size_t(last - stages.begin()) + 1);
}

} // namespace

SimulatedBackend::SimulatedBackend(llvm::StringRef name, const Backend &device)
    : ownName(name), device(device), deviceStages(upToLlvm(device.stages())) {}

llvm::Expected<std::shared_ptr<const base::LoadedKernel>> SimulatedBackend::load(const base::CompiledKernel &kernel,
                                                                                 const llvm::Module *module) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> parsed;
  // Without line tables, findings name lines of the IR's text.
  if (!module || module->debug_compile_units().empty()) {
    llvm::SMDiagnostic diagnostic;
    std::string path = kernel.results.llirPath.empty() ? kernel.name + ".llir" : kernel.results.llirPath;
    parsed = base::parseLlvmText(kernel.artifacts.at(stages().back().name.str()), path, /*lineInfo=*/true, context,
                                 diagnostic);
    if (!parsed)
      return llvm::createStringError("the llir of this kernel does not parse: " + diagnostic.getMessage());
    module = parsed.get();
  }
  llvm::Expected<std::unique_ptr<simulator::Program>> program = simulator::decodeKernel(*module, kernel.name);
  if (!program)
    return llvm::handleErrors(program.takeError(), [&](const simulator::UnsupportedError &error) -> llvm::Error {
      std::string text = (base::unsupportedPrefix + "the simulator yet: " + error.what).str();
      return llvm::make_error<base::StageError>("load", "", std::vector{messageAt(error.location, text)});
    });
  unsigned threads = (*program)->requiredThreads;
  if (threads == 0)
    threads = unsigned(kernel.results.startedWarps()) * (*program)->laneCount;
  return std::make_shared<const SimulatedKernel>(kernel, std::move(*program), limits(kernel.target), threads,
                                                 std::size_t(kernel.results.sharedBytes));
}

} // namespace triton::backends

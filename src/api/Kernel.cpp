#include "api/ArgumentBinding.h"
#include "api/Errors.h"
#include "api/KernelState.h"
#include "api/Recording.h"
#include "compiler/Devices.h"
#include "compiler/StageDriver.h"

#include "llvm/ADT/STLExtras.h"

#include <climits>

using namespace triton;
using namespace triton::api;

Error::Error(Kind kind, const std::string &text, std::string message, unsigned line, unsigned column)
    : std::runtime_error(text), errorKind(kind), shortMessage(std::move(message)), sourceLine(line),
      sourceColumn(column) {}
Error::~Error() = default;

std::shared_ptr<compiler::ResidentKernel> Kernel::State::find(const std::vector<uint64_t> &key, uint64_t hash) {
  std::shared_lock lock(mutex);
  auto [begin, end] = variants.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second.key == key)
      return it->second.claim.lock();
  return nullptr;
}

void Kernel::State::add(const std::vector<uint64_t> &key, uint64_t hash, Claim claim) {
  Claim earlier; // is given back without the lock
  std::unique_lock lock(mutex);
  auto [begin, end] = variants.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second.key == key) {
      earlier = std::exchange(it->second.claim, std::move(claim));
      return;
    }
  forgetDropped();
  variants.emplace(hash, Variant{key, std::move(claim)});
}

void Kernel::State::keep(const compiler::ResidentKernel *kernel, Claim claim) {
  std::unique_lock lock(mutex);
  forgetDropped();
  std::swap(compiledAhead[kernel], claim); // `claim` is given back without the lock
}

/// With the lock.
void Kernel::State::forgetDropped() {
  if (variants.size() + compiledAhead.size() < sizeToLookAt)
    return;
  std::erase_if(variants, [](const auto &entry) { return entry.second.claim.isDropped(); });
  std::erase_if(compiledAhead, [](const auto &entry) { return entry.second.isDropped(); });
  sizeToLookAt = std::max(sizeToLookAt, 2 * (variants.size() + compiledAhead.size()));
}

static base::Options compilerOptions(const LaunchOptions &options) {
  base::Options result;
#define TRITON_OPTION(type, member, name, standard) result.member = options.member;
#include "base/Options.def"
  for (auto [name, value] : options.extra)
    result.extra[std::string(name)] = std::string(value);
  return result;
}

/// Options that select a variant, as words of its key.
static void appendOptions(const LaunchOptions &options, std::vector<uint64_t> &key) {
  key.push_back(uint64_t(uint16_t(options.numWarps)) << 48 | uint64_t(uint16_t(options.numStages)) << 32 |
                uint64_t(uint16_t(options.numCtas)) << 16 | uint64_t(options.sanitizeOverflow) << 3 |
                uint64_t(options.lineInfo) << 2 | uint64_t(options.debug) << 1 | uint64_t(options.enableFpFusion));
  // Each text is preceded by its length, so that two texts differ from two others with the same letters.
  auto append = [&](std::string_view text) {
    key.push_back(text.size());
    for (char c : text)
      key.push_back(uint64_t(uint8_t(c)));
  };
  append(options.arch);
  append(options.target);
  // A vendor's name is the current device, each of which has code for its own architecture.
  if (const base::DeviceDriver *driver = compiler::deviceDriver(options.target))
    append(translateErrors([&] { return driver->arch(driver->currentDevice()); }));
  for (auto [name, value] : options.extra) {
    append(name);
    append(value);
  }
}

/// The compiler's view of an argument that has only a type.
static compiler::Argument describeTypeOnly(const std::string &name, std::string_view signature, int storage) {
  llvm::Expected<compiler::Argument> argument = frontend::readArgumentType(name, signature, storage);
  if (!argument)
    throwLaunchError("argument `" + name + "`: " + llvm::toString(argument.takeError()));
  return std::move(*argument);
}

static compiler::CompileRequest makeRequest(const Kernel::State &kernel, const LaunchOptions &options,
                                            const std::vector<BoundArgument> &bound) {
  compiler::CompileRequest request;
  request.function = kernel.function;
  request.options = compilerOptions(options);
  request.target = translateErrors([&] { return compiler::parseTarget(options.target); });
  request.lastStage = std::string(options.lastStage);
  request.explains = options.explain;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const runtime::ParameterRule &rule = kernel.parameters[i].rule;
    if (!bound[i].typeOnly.empty()) {
      request.arguments.push_back(describeTypeOnly(rule.name, bound[i].typeOnly, int(i)));
      continue;
    }
    runtime::ConstantSource constants;
    constants.object = [&](std::size_t) { return constantObject(bound[i], rule.name); };
    std::vector<runtime::ArgumentView> views = {bound[i].view};
    views.insert(views.end(), bound[i].parts.begin(), bound[i].parts.end());
    request.arguments.push_back(runtime::describeArguments({&rule, 1}, views, constants).front());
  }
  return request;
}

static std::array<int32_t, 3> checkGrid(const Grid &grid) {
  std::array<int32_t, 3> extents;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > INT_MAX)
      throwLaunchError("grid extent " + std::to_string(i) + " is " + std::to_string(grid[i]) +
                       "; an extent is 0 to 2147483647");
    extents[std::size_t(i)] = int32_t(grid[i]);
  }
  return extents;
}

/// The memory behind the runtime arguments, for the simulator.
static std::vector<base::ArrayExtent> extentsOf(const Kernel::State &kernel, const std::vector<BoundArgument> &bound) {
  std::vector<base::ArrayExtent> extents;
  unsigned index = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (!bound[i].parts.empty()) {
      if (bound[i].memoryBytes)
        extents.push_back({index, uintptr_t(bound[i].parts.front().bits), bound[i].memoryBytes});
      index += unsigned(bound[i].parts.size());
      continue;
    }
    runtime::SpecializationError error = runtime::SpecializationError::None;
    if (runtime::classify(kernel.parameters[i].rule, bound[i].view, error).passing !=
        runtime::Specialization::Passing::Runtime)
      continue;
    if (bound[i].memoryBytes)
      extents.push_back({index, uintptr_t(bound[i].view.bits), bound[i].memoryBytes});
    ++index;
  }
  return extents;
}

/// Reduces the arguments to key and slots.
static void specialize(const Kernel::State &kernel, const std::vector<BoundArgument> &bound,
                       const LaunchOptions &options, runtime::SpecializedArguments &out) {
  out.clear();
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const runtime::ParameterRule &rule = kernel.parameters[i].rule;
    if (!bound[i].typeOnly.empty())
      throwLaunchError("argument `" + rule.name + "` is only a type; a launch needs a value");
    runtime::SpecializationError error = runtime::append(rule, bound[i].view, out);
    if (error != runtime::SpecializationError::None)
      throwLaunchError(runtime::describe(error, rule, bound[i].view));
    unsigned rank = unsigned(bound[i].parts.size() / 2);
    for (auto [part, view] : llvm::enumerate(bound[i].parts))
      runtime::append(runtime::descriptorPartRule(rule, rank, part), view, out);
  }
  appendOptions(options, out.key);
}

/// Compiles the kernel for a key for which there is none, or waits for a thread that does.
static std::shared_ptr<compiler::ResidentKernel> compileVariant(Kernel::State &kernel, compiler::CompileRequest request,
                                                                const std::vector<uint64_t> &key, uint64_t hash) {
  compiler::ResidentCompiler &compiler = *kernel.context->compiler;
  return translateErrors([&] {
    auto [resident, claim] = compiler.request(std::move(request), /*isAwaited=*/true);
    compiler.wait(resident);
    kernel.add(key, hash, std::move(claim));
    return resident;
  });
}

const std::string &Kernel::name() const { return state->function->name; }

/// What only some launches have.
struct LaunchExtras {
  llvm::json::Object *memoryMap = nullptr;
  base::InterruptCheck interrupted = nullptr;
};

/// The arguments of one launch: as they were given, and as key and slots.
struct LaunchArguments {
  std::vector<BoundArgument> bound;
  runtime::SpecializedArguments specialized;
};

/// Checks the launch and fills in `arguments`; the grid.
static std::array<int32_t, 3> prepareLaunch(Kernel::State &state, const LaunchOptions &options,
                                            std::span<const Argument> given, LaunchArguments &arguments) {
  std::array<int32_t, 3> grid = checkGrid(options.grid);
  if (!options.lastStage.empty())
    throwLaunchError("`lastStage` is for Kernel::compile; a launch needs all stages");
  if (options.explain)
    throwLaunchError("`explain` is for Kernel::compile; what is explained is not run");
  bindArguments(state, given, arguments.bound);
  specialize(state, arguments.bound, options, arguments.specialized);
  return grid;
}

static void launchLoaded(const Kernel::State &state, const LaunchOptions &options, const std::array<int32_t, 3> &grid,
                         const base::LoadedKernel *loaded, const LaunchArguments &arguments,
                         const LaunchExtras &extras) {
  const std::string &name = state.function->name;
  if (!loaded)
    throwLaunchError("kernel `" + name + "` was compiled for `" + std::string(options.arch) +
                     "`, which this machine cannot run");
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return;
  std::vector<base::ArrayExtent> arrays;
  if (loaded->checksAccesses())
    arrays = extentsOf(state, arguments.bound);
  base::KernelLaunch launch{.grid = grid, .arguments = arguments.specialized.slots, .arrays = arrays};
  launch.stream = options.stream;
  launch.maxThreads = options.threads;
  launch.memoryMap = extras.memoryMap;
  launch.interrupted = extras.interrupted;
  try {
    translateErrors([&] { loaded->launch(launch); });
  } catch (const Error &) {
    throw;
  } catch (const std::runtime_error &error) {
    throw Error(Error::Kind::Run, "kernel `" + name + "`: " + error.what(), error.what());
  }
  state.context->launches.fetch_add(1, std::memory_order_relaxed);
}

static void launchKernel(Kernel::State &state, const LaunchOptions &options, std::span<const Argument> given,
                         const LaunchExtras &extras) {
  static thread_local LaunchArguments arguments;
  std::array<int32_t, 3> grid = prepareLaunch(state, options, given, arguments);
  const std::vector<uint64_t> &key = arguments.specialized.key;
  uint64_t hash = runtime::hashKey(key);
  std::shared_ptr<compiler::ResidentKernel> kernel = state.find(key, hash);
  Context::State &context = *state.context;
  if (kernel && kernel->ready()) {
    context.hits.fetch_add(1, std::memory_order_relaxed);
    if (context.tracksUse)
      kernel->touch();
  } else {
    compiler::CompileRequest request = makeRequest(state, options, arguments.bound);
    request.isForLaunches = true;
    kernel = compileVariant(state, std::move(request), key, hash);
  }
  launchLoaded(state, options, grid, kernel->ready()->loaded.get(), arguments, extras);
}

void Kernel::launchArguments(const LaunchOptions &options, std::span<const Argument> arguments) const {
  launchKernel(*state, options, arguments, {});
}

void api::launchMapped(const Kernel &kernel, const LaunchOptions &options, std::span<const Argument> arguments,
                       llvm::json::Object &memoryMap, const std::atomic<bool> &isAbandoned) {
  auto interrupted = [&] { return isAbandoned.load(); };
  launchKernel(KernelInternals::stateOf(kernel), options, arguments, {&memoryMap, interrupted});
}

void api::launchRecorded(const Kernel &kernel, const LaunchOptions &options, std::span<const Argument> arguments,
                         const base::Environment &environment, base::CompilationRecord &record,
                         const std::string &ttir) {
  Kernel::State &state = KernelInternals::stateOf(kernel);
  LaunchArguments prepared;
  std::array<int32_t, 3> grid = prepareLaunch(state, options, arguments, prepared);
  compiler::CompileRequest request = makeRequest(state, options, prepared.bound);
  request.environment = &environment;
  request.record = &record;
  request.isForLaunches = true;
  if (!ttir.empty()) {
    request.kernelName = compiler::requestedSymbol(request);
    request.function = nullptr;
    request.irText = ttir;
    request.irStage = "ttir";
    request.irPath = state.function->name + ".ttir";
  }
  std::shared_ptr<const base::CompiledKernel> compiled = translateErrors([&] { return compiler::compile(request); });
  launchLoaded(state, options, grid, compiled->loaded.get(), prepared, {});
}

/// Asks for the kernel, which the compiler keeps for the launches to come.
static std::shared_ptr<compiler::ResidentKernel> requestAhead(Kernel::State &kernel, const LaunchOptions &options,
                                                              std::span<const Argument> arguments, bool isAwaited) {
  std::vector<BoundArgument> bound;
  bindArguments(kernel, arguments, bound);
  auto [resident, claim] = translateErrors(
      [&] { return kernel.context->compiler->request(makeRequest(kernel, options, bound), isAwaited); });
  kernel.keep(resident.get(), std::move(claim));
  return resident;
}

triton::CompiledKernel Kernel::compileArguments(const LaunchOptions &options,
                                                std::span<const Argument> arguments) const {
  return CompileFuture(std::make_shared<CompileFuture::State>(
                           state->context, requestAhead(*state, options, arguments, /*isAwaited=*/true)))
      .get();
}

CompileFuture Kernel::compileArgumentsAsync(const LaunchOptions &options, std::span<const Argument> arguments) const {
  return CompileFuture(std::make_shared<CompileFuture::State>(
      state->context, requestAhead(*state, options, arguments, /*isAwaited=*/false)));
}

std::shared_ptr<const base::CompiledKernel> api::compileRecorded(const Kernel &kernel, const LaunchOptions &options,
                                                                 std::span<const Argument> arguments,
                                                                 base::CompilationRecord &record,
                                                                 const std::atomic<bool> *isAbandoned) {
  const Kernel::State &state = KernelInternals::stateOf(kernel);
  std::vector<BoundArgument> bound;
  bindArguments(state, arguments, bound);
  compiler::CompileRequest request = makeRequest(state, options, bound);
  request.record = &record;
  request.isAbandoned = isAbandoned;
  request.explains = request.target.backend != "cpu";
  return translateErrors([&] { return compiler::compile(request); });
}

bool CompileFuture::waitFor(std::chrono::nanoseconds duration) const {
  using Clock = compiler::ResidentCompiler::Clock;
  auto end = Clock::now();
  end = duration < Clock::time_point::max() - end ? end + duration : Clock::time_point::max();
  return state->context->compiler->waitUntil(state->kernel, end);
}

triton::CompiledKernel CompileFuture::get() const {
  return triton::CompiledKernel(translateErrors([&] { return state->context->compiler->wait(state->kernel); }));
}

Constant triton::constant(std::string_view name, const Kernel &function) {
  Constant result;
  result.name = name;
  result.kind = Constant::Kind::Function;
  result.function = std::const_pointer_cast<frontend::Function>(function.state->function);
  return result;
}

Constant KernelInternals::constant(std::string_view name, frontend::ObjectRef value) {
  Constant result;
  result.name = name;
  result.kind = Constant::Kind::Object;
  result.function = std::const_pointer_cast<frontend::Object>(std::move(value));
  return result;
}

static const base::CompiledKernel &compiled(const std::shared_ptr<const void> &state) {
  return *static_cast<const base::CompiledKernel *>(state.get());
}

const std::string &triton::CompiledKernel::name() const { return compiled(state).name; }
const std::string &triton::CompiledKernel::metadata() const { return compiled(state).metadata; }

std::vector<std::string> triton::CompiledKernel::artifactNames() const {
  return compiler::artifactNames(compiled(state));
}

std::string triton::CompiledKernel::artifact(std::string_view name) const {
  std::string bytes = translateErrors([&] { return compiler::artifact(compiled(state), name); });
  if (!bytes.empty())
    return bytes;
  std::string message = "kernel `" + this->name() + "` has no artifact `" + std::string(name) + "`; it has";
  for (const std::string &known : artifactNames())
    message += " `" + known + "`";
  throwLaunchError(message);
}

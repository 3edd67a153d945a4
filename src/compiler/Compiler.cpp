#include "compiler/Compiler.h"

#include "base/Environment.h"
#include "compiler/BackendRegistry.h"
#include "compiler/Bundles.h"
#include "compiler/Cache.h"
#include "compiler/CacheKey.h"
#include "compiler/ForkGate.h"
#include "compiler/KernelMetadata.h"
#include "compiler/ProfileScopes.h"
#include "compiler/StageDriver.h"
#include "compiler/TieredKernel.h"

using namespace triton;
using namespace triton::compiler;

/// Applies the environment, which can switch debugging on, and fusion and line tables off.
static Options effectiveOptions(const Options &given, const Environment &environment) {
  Options options = given;
  options.debug |= environment.debug;
  options.lineInfo &= !environment.disableLineInfo;
  if (environment.defaultFpFusion == "0" && !given.extra.count("enable_fp_fusion"))
    options.enableFpFusion = false;
  options.enableFpFusion &= !environment.forceDisableFpFusion;
  return options;
}

static std::unique_ptr<const backends::BackendOptions> readOptions(const CompileRequest &request,
                                                                   const Options &options,
                                                                   const backends::Backend &backend,
                                                                   const Environment &environment) {
  auto read = backend.readOptions(request.target, options, environment);
  if (read)
    return std::move(*read);
  std::string message = llvm::toString(read.takeError());
  throw CompilationError(CompilationError::Kind::General, "error: " + message, message, 0, 0);
}

static void load(CompiledKernel &kernel, const backends::Backend &backend, const llvm::Module *module) {
  auto loaded = backend.load(kernel, module);
  if (!loaded && !kernel.results.llirPath.empty()) // Calls in LLVM IR that a user wrote may lead nowhere.
    loaded = llvm::handleErrors(loaded.takeError(), [&](std::unique_ptr<llvm::StringError> error) -> llvm::Error {
      StageMessage message{error->getMessage(), {kernel.results.llirPath, 0, 0}, {}, {}};
      return llvm::make_error<StageError>("load", "", std::vector{std::move(message)});
    });
  if (!loaded)
    throwStageError(loaded.takeError(), nullptr, kernel.name, "load");
  kernel.loaded = withScopes(kernel, std::move(*loaded));
}

/// What a bundle has of packForLaunches.
static constexpr char packedName[] = "launch";

/// Makes a kernel, which is not loaded yet, of what was kept of it; null when the parts do not belong together.
static std::shared_ptr<CompiledKernel> assemble(const std::string &hash, const std::string &metadata,
                                                std::map<std::string, std::string> artifacts) {
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->hash = hash;
  auto packed = artifacts.extract(packedName);
  if (packed ? !readPacked(*kernel, packed.mapped()) : !readMetadata(*kernel, metadata))
    return nullptr;
  kernel->metadata = metadata;
  kernel->artifacts = std::move(artifacts);
  return kernel;
}

/// The kernel of an entry, ready to run; null when there is none, or when it does not hold what it should.
static std::shared_ptr<CompiledKernel> loadEntry(std::optional<CacheEntry> entry, const std::string &hash,
                                                 const backends::Backend &backend) {
  if (!entry || !entry->count("json"))
    return nullptr;
  std::string metadata = entry->at("json");
  entry->erase("json");
  std::shared_ptr<CompiledKernel> kernel = assemble(hash, metadata, std::move(*entry));
  if (!kernel || !kernel->artifacts.count(backend.stages().back().name.str()))
    return nullptr;
  auto loaded = backend.load(*kernel, /*module=*/nullptr);
  if (!loaded) {
    llvm::consumeError(loaded.takeError());
    return nullptr;
  }
  kernel->loaded = withScopes(*kernel, std::move(*loaded));
  kernel->artifacts.erase(backends::loadingFormName);
  kernel->isFromCache = true;
  return kernel;
}

static std::shared_ptr<CompiledKernel> loadBundled(const CompileRequest &request, const CacheKey &key,
                                                   const backends::Backend &backend) {
  std::optional<BundledKernel> found = readBundledKernel(key, requestedName(request));
  auto kernel = found ? loadEntry(std::move(found->entry), found->hash, backend) : nullptr;
  if (kernel)
    kernel->isFromBundle = true;
  return kernel;
}

static std::shared_ptr<CompiledKernel> loadCached(const CompileRequest &request, const CacheKey &key,
                                                  const backends::Backend &backend, const Environment &environment) {
  std::optional<CacheEntry> entry = readCacheEntry(environment.cacheDirectory(), key.hash, requestedName(request));
  if (std::shared_ptr<SharedCache> shared = entry ? nullptr : sharedCache()) {
    entry = shared->read(key.hash, requestedName(request));
    if (entry && entry->count("json"))
      writeCacheEntry(environment.cacheDirectory(), key.hash, requestedName(request), *entry,
                      environment.cacheSizeLimit);
  }
  return loadEntry(std::move(entry), key.hash, backend);
}

/// Returns what it has written to the cache on disk.
static CacheEntry store(const CompiledKernel &kernel, const std::string &name, const backends::Backend &backend,
                        const Environment &environment) {
  std::string binary = backend.stages().back().name.str();
  CacheEntry entry = kernel.artifacts;
  if (environment.storeBinaryOnly)
    std::erase_if(entry, [&](const auto &file) { return file.first != binary; });
  entry["json"] = kernel.metadata;
  writeCacheEntry(environment.cacheDirectory(), kernel.hash, name, entry, environment.cacheSizeLimit);
  return entry;
}

/// Whether code that is generated quickly may run first. Who debugs or dumps a kernel gets the code that stays.
static bool usesTiers(const CompileRequest &request, const Options &options, const backends::Backend &backend,
                      const Environment &environment) {
  return environment.cpuTiers && request.isForLaunches && !request.record && backend.hasQuickCode() && !options.debug &&
         !environment.kernelDump && !environment.kernelOverride;
}

/// Lets a kernel of quick code be replaced by better code, which then goes to the cache on disk. Not to a cache that
/// machines share: that is Python's, which a thread in the background must not wait for.
static void replaceLater(CompiledKernel &kernel, const std::string &name, const backends::Backend &backend,
                         const Environment &environment) {
  CompiledKernel better = kernel;
  better.loaded = nullptr;
  auto make = [better, name, &backend, environment]() mutable {
    llvm::Expected<std::string> binary = backend.betterBinary(better);
    if (!binary)
      throwStageError(binary.takeError(), nullptr, name, backend.stages().back().name.str());
    better.artifacts[backend.stages().back().name.str()] = std::move(*binary);
    load(better, backend, /*module=*/nullptr);
    store(better, name, backend, environment);
    return better.loaded;
  };
  kernel.loaded = makeTieredKernel(kernel.name, std::move(kernel.loaded), std::move(make));
}

namespace {

/// The meaning of a request in this environment.
struct Preparation {
  explicit Preparation(const CompileRequest &request)
      : environment(request.environment ? *request.environment : Environment::read()),
        backend(requireBackend(request.target)), options(effectiveOptions(request.options, environment)),
        backendOptions(readOptions(request, options, backend, environment)),
        key(computeCacheKey(request, options, backend.fingerprint(*backendOptions), environment)) {}

  const Environment environment;
  const backends::Backend &backend;
  const Options options;
  const std::unique_ptr<const backends::BackendOptions> backendOptions;
  const CacheKey key;
};

} // namespace

void compiler::runStages(const CompileRequest &request,
                         llvm::function_ref<void(const StageDriver &, const CompiledKernel &)> use, bool isQuiet) {
  CompilationScope scope;
  Preparation prepared(request);
  StageDriver driver(request, prepared.options, prepared.backend, *prepared.backendOptions, prepared.environment,
                     prepared.key);
  if (isQuiet)
    driver.beQuiet();
  std::shared_ptr<CompiledKernel> kernel = driver.run();
  use(driver, *kernel);
}

std::string compiler::requestKey(const CompileRequest &request) {
  return Preparation(request).key.hash + (request.explains ? " explains " : " ") + request.lastStage;
}

std::shared_ptr<const CompiledKernel> compiler::compile(const CompileRequest &request) {
  CompilationScope scope;
  Preparation prepared(request);
  const auto &[environment, backend, options, backendOptions, key] = prepared;
  // An override replaces stages, a dump shows them: both need the stages to run, and a replaced result is not kept.
  if (!request.lastStage.empty() || request.explains || (request.record && !request.isForLaunches))
    return StageDriver(request, options, backend, *backendOptions, environment, key).run();
  bool mayUseCache =
      !request.record && !environment.alwaysCompile && !environment.kernelDump && !environment.kernelOverride;
  if (mayUseCache)
    if (auto kernel = loadBundled(request, key, backend))
      return kernel;
  if (request.isForBundled)
    return nullptr;
  if (mayUseCache)
    if (auto kernel = loadCached(request, key, backend, environment))
      return kernel;
  bool isQuick = usesTiers(request, options, backend, environment);
  StageDriver driver(request, options, backend, *backendOptions, environment, key, isQuick);
  std::shared_ptr<CompiledKernel> kernel = driver.run();
  load(*kernel, backend, driver.llvmModule());
  std::string name = requestedName(request);
  if (isQuick && kernel->loaded) {
    replaceLater(*kernel, name, backend, environment);
  } else if (!isQuick && !environment.kernelOverride && !request.record) {
    CacheEntry entry = store(*kernel, name, backend, environment);
    if (std::shared_ptr<SharedCache> shared = sharedCache())
      shared->write(kernel->hash, name, entry);
  }
  return kernel;
}

std::shared_ptr<const CompiledKernel> compiler::restore(const std::string &hash, const std::string &metadata,
                                                        std::map<std::string, std::string> artifacts) {
  CompilationScope scope;
  std::shared_ptr<CompiledKernel> kernel = assemble(hash, metadata, std::move(artifacts));
  if (!kernel)
    return nullptr;
  const backends::Backend &backend = requireBackend(kernel->target);
  if (kernel->artifacts.count(backend.stages().back().name.str()))
    load(*kernel, backend, /*module=*/nullptr);
  return kernel;
}

std::map<std::string, std::string> compiler::loadingForms(const std::string &hash, const std::string &metadata,
                                                          std::map<std::string, std::string> artifacts) {
  std::shared_ptr<CompiledKernel> kernel = assemble(hash, metadata, std::move(artifacts));
  if (!kernel)
    return {};
  std::map<std::string, std::string> forms{{packedName, packForLaunches(*kernel)}};
  const backends::Backend &backend = requireBackend(kernel->target);
  if (kernel->artifacts.count(backend.stages().back().name.str()))
    if (std::string form = backend.loadingForm(*kernel); !form.empty())
      forms.emplace(backends::loadingFormName, std::move(form));
  return forms;
}

std::string compiler::artifact(const CompiledKernel &kernel, std::string_view name) {
  CompilationScope scope;
  if (auto kept = kernel.artifacts.find(std::string(name)); kept != kernel.artifacts.end())
    return kept->second;
  const backends::Backend &backend = requireBackend(kernel.target);
  if (!llvm::is_contained(backend.derivedArtifacts(), llvm::StringRef(name)))
    return "";
  llvm::Expected<std::string> derived = backend.deriveArtifact(kernel, name);
  if (!derived)
    throwStageError(derived.takeError(), nullptr, kernel.name, std::string(name));
  return std::move(*derived);
}

std::string compiler::disassembly(const CompiledKernel &kernel) {
  const backends::Backend &backend = requireBackend(kernel.target);
  if (!backend.hasDisassembler() || !kernel.artifacts.count(backend.stages().back().name.str()))
    return "";
  llvm::Expected<std::string> text = backend.disassemble(kernel);
  if (!text)
    throw InternalError(llvm::toString(text.takeError()));
  return std::move(*text);
}

std::vector<std::string> compiler::artifactNames(const CompiledKernel &kernel) {
  std::vector<std::string> names;
  const backends::Backend &backend = requireBackend(kernel.target);
  auto addKept = [&](llvm::StringRef name) {
    if (kernel.artifacts.count(name.str()))
      names.push_back(name.str());
  };
  addKept("source");
  for (const backends::Stage &stage : backend.stages()) {
    if (&stage == &backend.stages().back())
      for (llvm::StringRef derived : backend.derivedArtifacts())
        names.push_back(derived.str());
    addKept(stage.name);
  }
  return names;
}

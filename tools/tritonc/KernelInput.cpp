#include "KernelInput.h"
#include "ArgumentValues.h"

#include "api/KernelState.h"
#include "base/Files.h"
#include "compiler/BackendRegistry.h"
#include "compiler/Devices.h"
#include "language_server/SignatureGuess.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace tritonc;

KernelPath tritonc::splitInput(const std::string &input) {
  if (input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  llvm::StringRef text(input);
  std::size_t colon = text.rfind(':');
  if (colon == llvm::StringRef::npos || text.substr(colon).contains('/'))
    return {input, ""};
  return {text.take_front(colon).str(), text.substr(colon + 1).str()};
}

std::string tritonc::irStage(const std::string &file) {
  llvm::StringRef suffix = llvm::sys::path::extension(file);
  return llvm::is_contained({".ttir", ".ttcir", ".ttgir", ".llir", ".ptx", ".amdgcn"}, suffix)
             ? suffix.drop_front().str()
             : "";
}

std::string tritonc::readFile(const std::string &path) {
  llvm::ErrorOr<std::string> text = triton::base::readWholeFile(path);
  if (!text)
    throw UsageError("cannot read `" + path + "`: " + text.getError().message());
  return *text;
}

triton::Kernel tritonc::openKernel(const triton::Module &module, const KernelPath &path) {
  if (!path.kernel.empty())
    return module.kernel(path.kernel);
  std::vector<std::string> names = module.kernelNames();
  if (names.size() == 1)
    return module.kernel(names.front());
  if (names.empty())
    throw UsageError("`" + path.file + "` has no kernel; a kernel is a function with `@triton.jit` above it");
  std::string message =
      "`" + path.file + "` has " + std::to_string(names.size()) + " kernels; name one as `" + path.file + ":<kernel>`:";
  for (const std::string &name : names)
    message += " " + name;
  throw UsageError(message);
}

TargetOption tritonc::parseTarget(const std::string &text) {
  auto [name, arch] = llvm::StringRef(text).rsplit(':');
  if (name == "cpu" && !arch.empty()) // an option of the compilation rather than a part of the target
    return {"cpu", arch.str()};
  if (!arch.empty() && triton::compiler::findBackend(name))
    return {text, ""};
  // The architecture may only be missing if there is none to choose, or if a device has one.
  const triton::backends::Backend *backend = triton::compiler::findBackend(text);
  if (backend && (backend->driver() || backend->warpSize("") == 0))
    return {text, ""};
  throw UsageError("no target `" + text +
                   "`; write cpu, cpu:<arch>, cuda, cuda:<compute capability> such as cuda:90, hip, hip:<architecture> "
                   "such as hip:gfx942, or sim: and one of these GPUs");
}

bool tritonc::usesDevice(const TargetOption &target) {
  const triton::base::DeviceDriver *driver =
      triton::compiler::deviceDriver(llvm::StringRef(target.target).split(':').first);
  return driver && driver->deviceCount() != 0;
}

triton::Grid tritonc::parseGrid(const std::string &text) {
  int64_t extents[3] = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  if (parts.size() > 3)
    throw UsageError("grid `" + text + "` has " + std::to_string(parts.size()) + " extents; at most 3");
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].trim().getAsInteger(10, extents[i]))
      throw UsageError("grid `" + text + "`: `" + parts[i].str() + "` is not an integer");
  return triton::Grid(extents[0], extents[1], extents[2]);
}

triton::LaunchOptions tritonc::launchOptions(const KernelOptions &options, const TargetOption &target) {
  triton::LaunchOptions result;
  result.target = target.target;
  result.arch = target.arch;
  result.numWarps = options.numWarps;
  result.numStages = options.numStages;
  result.numCtas = options.numCtas;
  result.debug = options.debug;
  result.enableFpFusion = !options.noFpFusion;
  return result;
}

static std::pair<std::string, std::string> backendAndArch(llvm::StringRef target) {
  if (target == "cpu")
    return {"cpu", ""};
  if (!target.contains(':'))
    throw UsageError("compiling IR for `" + target.str() + "` needs the architecture, as in cuda:90 or hip:gfx942");
  auto [backend, arch] = target.rsplit(':');
  return {backend.str(), arch.str()};
}

static std::shared_ptr<const triton::base::CompiledKernel>
compileIr(const KernelOptions &options, const KernelPath &path, const std::string &lastStage, bool explains) {
  triton::compiler::CompileRequest request;
  request.irText = readFile(path.file);
  request.irStage = irStage(path.file);
  request.irPath = path.file;
  request.kernelName = path.kernel;
  request.lastStage = lastStage;
  request.explains = explains;
  request.options.debug = options.debug;
  request.options.enableFpFusion = !options.noFpFusion;
  request.options.numWarps = options.numWarps;
  request.options.numStages = options.numStages;
  TargetOption target = parseTarget(options.target);
  request.options.arch = target.arch;
  std::tie(request.target.backend, request.target.arch) = backendAndArch(target.target);
  return triton::compiler::compile(request);
}

triton::settings::KernelSettings tritonc::readSettings(const triton::Kernel &kernel, const std::string &file) {
  std::shared_ptr<const triton::base::Source> settings = triton::settings::findSettingsFile(file);
  return triton::settings::settingsOf(*triton::KernelInternals::stateOf(kernel).function, settings.get());
}

KernelOptions tritonc::withSettings(KernelOptions options) {
  KernelPath path = splitInput(options.input);
  if (!irStage(path.file).empty())
    return options;
  std::optional<triton::Module> module;
  std::optional<triton::Kernel> kernel;
  try {
    module = triton::Module::load(path.file);
    kernel = openKernel(*module, path);
  } catch (const std::exception &) {
    return options;
  }
  triton::settings::KernelSettings settings = readSettings(*kernel, path.file);
  // Of the file that was given: the kernel may be one that it imports.
  auto kernels = triton::KernelInternals::stateOf(*module).loaded->kernels();
  if (!kernels.empty())
    if (auto strays = triton::settings::findStrayComments(*kernels.front()->source, kernels); !strays.empty())
      throw triton::base::DiagnosticError(std::move(strays));
  if (options.isTargetOpen)
    options.target = settings.target.value_or(options.target);
  if (options.areWarpsOpen)
    options.numWarps = settings.numWarps.value_or(options.numWarps);
  if (options.areStagesOpen)
    options.numStages = settings.numStages.value_or(options.numStages);
  if (options.signature.empty())
    options.signature = settings.signature();
  return options;
}

void tritonc::requireNoSignature(const triton::Kernel &kernel) {
  const auto &state = triton::KernelInternals::stateOf(kernel);
  bool isRequired = llvm::any_of(state.parameters, [](const auto &parameter) { return !parameter.hasDefault; });
  if (!isRequired)
    return;
  std::string guess;
  for (const auto &item : triton::language_server::guessSignature(*state.function))
    guess += (guess.empty() ? "" : ",") + item.text;
  throw UsageError("`--signature` is missing: the types of the runtime arguments and the values of the others\n"
                   "help: for this kernel it may be --signature '" +
                   guess + "', which is a guess");
}

triton::Module tritonc::openModule(std::string text, const std::string &file, std::shared_ptr<PythonNames> names) {
  auto ask = [names = std::move(names)](const std::string &asking, std::string_view name) {
    return names->ask(asking, name);
  };
  return triton::KernelInternals::moduleFromText(std::move(text), file, std::move(ask));
}

Compiled::Compiled(const KernelOptions &options, const std::string &lastStage, bool explains) {
  KernelPath path = splitInput(options.input);
  if (!irStage(path.file).empty()) {
    fromIr = compileIr(options, path, lastStage, explains);
    return;
  }
  triton::Module module =
      explains ? openModule(readFile(path.file), path.file, std::make_shared<PythonNames>(options.connection))
               : triton::Module::load(path.file);
  triton::Kernel opened = openKernel(module, path);
  TargetOption target = parseTarget(options.target);
  if (options.signature.empty())
    requireNoSignature(opened);
  ArgumentList arguments(module);
  arguments.addSignature(options.signature);
  triton::LaunchOptions launch = launchOptions(options, target);
  launch.lastStage = lastStage;
  launch.explain = explains;
  kernel = std::make_shared<const triton::CompiledKernel>(opened.compileArguments(launch, arguments.arguments()));
}

const std::string &Compiled::name() const { return kernel ? kernel->name() : fromIr->name; }
const std::string &Compiled::metadata() const { return kernel ? kernel->metadata() : fromIr->metadata; }

std::vector<std::string> Compiled::artifactNames() const {
  return kernel ? kernel->artifactNames() : triton::compiler::artifactNames(*fromIr);
}

std::string Compiled::artifact(const std::string &name) const {
  return kernel ? kernel->artifact(name) : triton::compiler::artifact(*fromIr, name);
}

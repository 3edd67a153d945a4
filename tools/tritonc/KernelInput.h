// Makes a compiled kernel from the options of the command line.
#pragma once

#include "Commands.h"
#include "PythonNames.h"

#include "compiler/Compiler.h"
#include "settings/Settings.h"

#include <memory>
#include <string>

namespace tritonc {

struct KernelPath {
  std::string file;
  std::string kernel; ///< empty: not given
};

/// "a.py:kernel" → {"a.py", "kernel"}.
KernelPath splitInput(const std::string &input);
/// The stage of an IR file by its suffix ("ttir", "ttgir", "llir", ...); empty for a kernel file.
std::string irStage(const std::string &file);

/// The text of a file. Throws a UsageError that says why it cannot be read.
std::string readFile(const std::string &path);

/// The kernels of a text. Python is asked for what they read and no text shows.
triton::Module openModule(std::string text, const std::string &file, std::shared_ptr<PythonNames> names);
/// The kernel that the input names. If it names none, the only kernel of the file.
triton::Kernel openKernel(const triton::Module &module, const KernelPath &path);

/// What a comment above the kernel and the nearest `.triton.toml` say of it. Throws DiagnosticError.
triton::settings::KernelSettings readSettings(const triton::Kernel &kernel, const std::string &file);

/// The options with what the kernel's settings say of all that the command line leaves open. Where the kernel cannot be
/// read, as they are: whoever compiles it reports why. Throws DiagnosticError where the settings are wrong or stand
/// above no kernel.
KernelOptions withSettings(KernelOptions options);

/// Names `--signature` to whoever left it out where parameters need it, with a guess that they may start from.
void requireNoSignature(const triton::Kernel &kernel);

struct TargetOption {
  std::string target; ///< of LaunchOptions
  std::string arch;   ///< of the CPU
};
/// "cpu", "cpu:<arch>", "cuda", "cuda:90", "hip:gfx942", "sim:cuda:90".
TargetOption parseTarget(const std::string &text);
/// Whether its launches take addresses of a GPU's memory. Throws where there should be a driver and is none.
bool usesDevice(const TargetOption &target);
/// "4", "4,2" or "4,2,1".
triton::Grid parseGrid(const std::string &text);
/// The result points into `target`.
triton::LaunchOptions launchOptions(const KernelOptions &options, const TargetOption &target);

/// The artifacts of the input, which is a kernel or an IR file.
class Compiled {
public:
  /// Up to `lastStage`; all stages when it is empty. With `explains` it has the artifact "explain".
  explicit Compiled(const KernelOptions &options, const std::string &lastStage = "", bool explains = false);
  const std::string &name() const;
  std::vector<std::string> artifactNames() const;
  std::string artifact(const std::string &name) const;
  const std::string &metadata() const;

private:
  std::shared_ptr<const triton::CompiledKernel> kernel;
  std::shared_ptr<const triton::base::CompiledKernel> fromIr;
};

} // namespace tritonc

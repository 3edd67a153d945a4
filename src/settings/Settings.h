// How tools compile a kernel that nobody launches: what a comment above it and the nearest `.triton.toml` say of its
// target, warps, stages and signature.
#pragma once

#include "base/Diagnostics.h"
#include "frontend/KernelArgument.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace triton::settings {

using frontend::Function;
using frontend::KernelArgument;

struct KernelSettings {
  std::optional<std::string> target; ///< as `--target` of tritonc takes it
  std::optional<int> numWarps, numStages;
  /// What the signature says, in any order; not of each parameter.
  std::vector<KernelArgument> arguments;
  std::map<std::string, std::string> items; ///< the same by parameter, as `--signature` takes them

  /// `name=item, ...`; empty where there is no signature.
  std::string signature() const;
  /// All of it in one line, equal for settings that say the same; empty where there are none.
  std::string str() const;
};

/// The text of `.triton.toml` in the folder of that file, or in the nearest above that has one; null: there is none.
std::shared_ptr<const base::Source> findSettingsFile(const std::string &pythonFile);

/// A number that changes with that file and its text.
uint64_t stampOfSettings(const std::string &pythonFile);

/// What holds for a kernel: the comment's settings, then those of the kernel's table in the file, then the file's for
/// all kernels. `file` may be null. Throws DiagnosticError.
KernelSettings settingsOf(const Function &kernel, const base::Source *file);

/// The errors of comments that have settings and stand above none of these kernels, which are all of the source.
std::vector<base::Diagnostic> findStrayComments(const base::Source &source,
                                                llvm::ArrayRef<std::shared_ptr<const Function>> kernels);

} // namespace triton::settings

// Options that only some backends have: their texts, as a launch gives them (base::Options::extra).
#pragma once

#include "base/Target.h"

#include "llvm/Support/Error.h"

namespace triton::backends {

/// The option for launches whose programs all run at the same time.
inline constexpr char cooperativeOption[] = "launch_cooperative_grid";

/// Replaces `value` by the option `name` if it is given and not None. The error says that it must be `rule`.
llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, bool &value);
llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, unsigned &value);
llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, std::string &value);

/// Whether a boolean option is given and true.
bool isSet(const base::Options &options, const std::string &name);

/// An error unless `num_stages` can be a number of iterations.
llvm::Error checkStages(const base::Options &options);

} // namespace triton::backends

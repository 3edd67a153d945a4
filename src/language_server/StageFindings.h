// What the stages after the frontend report of kernels in Gluon, whose layouts and barriers are the user's.
#pragma once

#include "language_server/GuessSearch.h"

namespace triton::language_server {

/// The error of a kernel that lowers without errors for these arguments, as a finding in this text: layouts that do not
/// fit, and barriers whose phases cannot end. None where there is none, or somebody overtakes the compilation.
std::optional<Finding> findStageError(const std::shared_ptr<const Source> &text,
                                      const std::shared_ptr<const frontend::Function> &function,
                                      const std::vector<frontend::KernelArgument> &arguments,
                                      const RunOptions &options);

} // namespace triton::language_server

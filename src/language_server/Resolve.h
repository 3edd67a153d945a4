// What a dotted name in a kernel denotes.
#pragma once

#include "language_server/Callable.h"
#include "language_server/Features.h"
#include "language_server/Names.h"

namespace triton::language_server {

struct Resolved {
  /// A local name: what the analysis knows of it; empty when nothing.
  bool isLocal = false;
  std::vector<Fact> facts;
  /// A global name, or a member of a module; null when it is not known.
  frontend::ObjectRef object;
  /// What can be called by this name.
  std::optional<Callable> callable;
};

/// Resolves `parts` as they would be read at a place. None when there is no such name.
std::optional<Resolved> resolve(const View &view, llvm::ArrayRef<std::string> parts, uint32_t offset);

} // namespace triton::language_server

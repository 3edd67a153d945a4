// Forks of the process beside compilations of other threads.
#pragma once

namespace triton::compiler {

/// A compilation of this thread, which a fork waits for: the child would inherit locks that none of its threads frees.
class CompilationScope {
public:
  CompilationScope();
  ~CompilationScope();
  CompilationScope(const CompilationScope &) = delete;
  CompilationScope &operator=(const CompilationScope &) = delete;
};

/// Waits until no other thread compiles, and lets none begin. The caller holds no lock that compilations need.
void holdCompilations();
/// After the fork.
void releaseCompilationsInParent();
void releaseCompilationsInChild();

} // namespace triton::compiler

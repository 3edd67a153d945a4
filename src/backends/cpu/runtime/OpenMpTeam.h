// Threads of the OpenMP runtime that the rest of the process uses, such as PyTorch's. They spin for milliseconds after
// each of their loops, so a pool of further threads would have to share the processors with them.
#pragma once

namespace triton::cpu {

class OpenMpTeam {
public:
  /// The runtime that is loaded; null: none, or TRITON_CPU_OPENMP is 0. A library that is loaded later is found within
  /// 100 ms.
  static const OpenMpTeam *findLoaded();
  /// The same, but null where the team of this thread should not run programs: threads are to be pinned, the process is
  /// the child of a fork, whose runtime has lost its threads, or this thread is not the process's first, since a
  /// runtime starts another team for each thread that asks for one.
  static const OpenMpTeam *find();

  /// How many threads a loop of this thread gets (`omp_set_num_threads`, `torch.set_num_threads`); 1 inside of a loop.
  unsigned threadCount() const;
  /// Calls `body(data, thread)` on each thread of the team, the calling one included, whose number is 0. Returns when
  /// all have returned.
  void run(void (*body)(void *data, unsigned thread), void *data) const;

private:
  OpenMpTeam() = default;
  static const OpenMpTeam *search();
  bool load(void *library);

  void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr; ///< GOMP_parallel
  int (*maxThreads)() = nullptr, (*threadNumber)() = nullptr, (*isInParallel)() = nullptr;
};

} // namespace triton::cpu

// Where a thread of the program is: the scopes that it has opened, its state, and the operation that it starts.
#pragma once

#include "profiler/PhaseData.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace triton::profiling {

/// A node, with what keeps it alive.
struct Place {
  std::shared_ptr<PhaseData> data;
  Node *node = nullptr;
};
using Places = llvm::SmallVector<Place, 1>; ///< one for each session

class ThreadContext {
public:
  static ThreadContext &current();

  struct Scope {
    std::string name;
    int64_t id;
    int64_t begin;                                           ///< nanoseconds
    llvm::SmallVector<std::pair<uint64_t, Node *>, 1> known; ///< nodes, by the serial number of their data
  };

  /// The node of the innermost scope, below which the state comes. With the lock of the data.
  Node *scopeNode(PhaseData &data) { return nodeOfScopes(data, scopes.size()); }
  Node *withState(PhaseData &data, Node *node) { return states.empty() ? node : data.child(node, states.back()); }

  std::vector<Scope> scopes;
  std::vector<std::string> states;
  /// While a launch has a name of its own: the nodes of that name.
  bool hasOperation = false;
  Places operation;
  const uint64_t track; ///< of traces

private:
  ThreadContext();
  Node *nodeOfScopes(PhaseData &data, std::size_t count);
};

/// The calls of the program in another language, outermost first, "<file>:<line>@<function>" each.
using FrameSource = std::vector<std::string> (*)();
void setFrameSource(FrameSource source);
std::vector<std::string> currentFrames();

} // namespace triton::profiling

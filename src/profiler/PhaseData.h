// What one session has recorded between two boundaries that the program sets: a tree of calls with metrics, and for a
// trace also what happened when.
#pragma once

#include "profiler/Metric.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace triton::profiling {

/// A place in the tree of calls. It lives as long as its PhaseData.
struct Node {
  std::string name;
  Node *parent = nullptr;
  std::vector<Node *> children; ///< in the order of their creation
  std::map<std::string, Node *, std::less<>> byName;
  std::vector<Metric> metrics; ///< by the order in which they came first
};

/// Something in a trace that took time.
struct TraceEvent {
  enum class Kind { Scope, Metric, Kernel };
  Kind kind = Kind::Scope;
  const Node *node = nullptr;
  int64_t begin = 0, end = 0; ///< nanoseconds
  uint64_t track = 0;         ///< a thread or a stream: events of one track nest
  int64_t scope = -1;         ///< its number, if it is one
  std::vector<Metric> metrics;
};

class PhaseData {
public:
  explicit PhaseData(bool isTrace);
  PhaseData(const PhaseData &) = delete;

  /// Everything but `serial` and `pending` is read and written with this lock held.
  std::mutex mutex;

  Node *root() { return &nodes.front(); }
  Node *child(Node *parent, std::string_view name);
  Node *descend(Node *from, std::span<const std::string> names);
  void add(Node *node, const Metric &metric);
  /// Adds metrics to a node, and an event that shows them.
  void addMetrics(Node *node, std::span<const Metric> metrics, int64_t now, uint64_t track);

  const uint64_t serial; ///< no other data of this process has it
  const bool isTrace;
  std::vector<TraceEvent> events;   ///< of a trace
  std::atomic<int64_t> pending = 0; ///< operations of devices that have been started and not been recorded yet

private:
  std::deque<Node> nodes;
};

/// The names from below the root to the node.
std::vector<std::string> pathOf(const Node *node);

} // namespace triton::profiling

#include "profiler/PhaseData.h"

#include <algorithm>

namespace triton::profiling {

static uint64_t nextSerial() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

PhaseData::PhaseData(bool isTrace) : serial(nextSerial()), isTrace(isTrace) { nodes.emplace_back().name = "ROOT"; }

Node *PhaseData::child(Node *parent, std::string_view name) {
  auto found = parent->byName.find(name);
  if (found != parent->byName.end())
    return found->second;
  Node &node = nodes.emplace_back();
  node.name = name;
  node.parent = parent;
  parent->children.push_back(&node);
  parent->byName.emplace(node.name, &node);
  return &node;
}

Node *PhaseData::descend(Node *from, std::span<const std::string> names) {
  for (const std::string &name : names)
    from = child(from, name);
  return from;
}

void PhaseData::add(Node *node, const Metric &metric) {
  auto known = std::find_if(node->metrics.begin(), node->metrics.end(),
                            [&](const Metric &other) { return other.name == metric.name; });
  if (known == node->metrics.end())
    node->metrics.push_back(metric);
  else if (metric.isProperty)
    known->value = metric.value;
  else
    addValue(known->value, metric.value);
}

void PhaseData::addMetrics(Node *node, std::span<const Metric> metrics, int64_t now, uint64_t track) {
  if (metrics.empty())
    return;
  for (const Metric &metric : metrics)
    add(node, metric);
  if (isTrace)
    events.push_back(
        {TraceEvent::Kind::Metric, node, now, now, track, -1, std::vector<Metric>(metrics.begin(), metrics.end())});
}

std::vector<std::string> pathOf(const Node *node) {
  std::vector<std::string> names;
  for (; node->parent; node = node->parent)
    names.push_back(node->name);
  std::reverse(names.begin(), names.end());
  return names;
}

} // namespace triton::profiling

#include "simulator/core/ClusterClocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <utility>

namespace triton::simulator {

ClusterClocks::ClusterClocks(uint64_t cluster, llvm::ArrayRef<uint32_t> times) {
  auto leaf = llvm::makeIntrusiveRefCnt<Node>();
  leaf->times.assign(times.begin(), times.end());
  root = std::move(leaf);
  for (unsigned level = 1; level == 1 || cluster >> (bitsOfLevel * (level - 1)) != 0; ++level) {
    auto parent = llvm::makeIntrusiveRefCnt<Node>();
    parent->level = level;
    parent->children.resize(childCount);
    parent->children[Node::childOf(cluster, level)] = std::move(root);
    root = std::move(parent);
  }
}

llvm::ArrayRef<uint32_t> ClusterClocks::times(uint64_t cluster) const {
  const Node *node = root.get();
  if (!node || (bitsOfLevel * node->level < 64 && cluster >> (bitsOfLevel * node->level) != 0))
    return {};
  while (node && node->level != 0)
    node = node->children[Node::childOf(cluster, node->level)].get();
  return node ? llvm::ArrayRef<uint32_t>(node->times) : llvm::ArrayRef<uint32_t>();
}

bool ClusterClocks::isOnlyAbout(uint64_t cluster) const {
  const Node *node = root.get();
  if (node && bitsOfLevel * node->level < 64 && cluster >> (bitsOfLevel * node->level) != 0)
    return false;
  while (node && node->level != 0) {
    const Reference &own = node->children[Node::childOf(cluster, node->level)];
    if (llvm::any_of(node->children, [&](const Reference &child) { return child && child != own; }))
      return false;
    node = own.get();
  }
  return true;
}

/// The same clusters under a root of this level.
ClusterClocks::Reference ClusterClocks::lift(Reference node, unsigned level) {
  while (node->level < level) {
    auto parent = llvm::makeIntrusiveRefCnt<Node>();
    parent->level = node->level + 1;
    parent->children.resize(childCount);
    parent->children[0] = std::move(node);
    node = std::move(parent);
  }
  return node;
}

/// Whether each of these times is at least the other.
static bool covers(llvm::ArrayRef<uint32_t> times, llvm::ArrayRef<uint32_t> others) {
  return times.size() >= others.size() &&
         llvm::all_of(llvm::zip_first(others, times), [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); });
}

/// The nodes have the same level. If one of them is equal to the result, it is returned itself, so that equal values
/// come to share memory.
ClusterClocks::Joined ClusterClocks::join(const Reference &first, const Reference &second) {
  if (first == second)
    return {first, true, true};
  if (!first || !second)
    return {first ? first : second, bool(first), bool(second)};
  if (first->level == 0) {
    bool isFirst = covers(first->times, second->times), isSecond = covers(second->times, first->times);
    if (isFirst || isSecond)
      return {isFirst ? first : second, isFirst, isSecond};
    auto leaf = llvm::makeIntrusiveRefCnt<Node>();
    leaf->times = first->times;
    leaf->times.resize(std::max(first->times.size(), second->times.size()));
    for (auto [time, other] : llvm::zip(leaf->times, second->times))
      time = std::max(time, other);
    return {leaf, false, false};
  }
  std::array<Reference, childCount> made; // children that neither node has
  std::array<const Reference *, childCount> children;
  bool isFirst = true, isSecond = true;
  for (unsigned i = 0; i < childCount; ++i) {
    const Reference &a = first->children[i], &b = second->children[i];
    children[i] = a ? &a : &b;
    if (a == b)
      continue; // nothing is copied or counted until there is a new node
    if (!a || !b) {
      (a ? isSecond : isFirst) = false;
      continue;
    }
    Joined joined = join(a, b);
    isFirst &= joined.isFirst;
    isSecond &= joined.isSecond;
    made[i] = std::move(joined.node);
    children[i] = &made[i];
  }
  if (isFirst || isSecond)
    return {isFirst ? first : second, isFirst, isSecond};
  auto node = llvm::makeIntrusiveRefCnt<Node>();
  node->level = first->level;
  node->children.reserve(childCount);
  for (const Reference *child : children)
    node->children.push_back(*child);
  return {node, false, false};
}

ClusterClocks ClusterClocks::join(const ClusterClocks &other) const {
  if (isSame(other) || other.isEmpty())
    return *this;
  if (isEmpty())
    return other;
  unsigned level = std::max(root->level, other.root->level);
  return ClusterClocks(join(lift(root, level), lift(other.root, level)).node);
}

/// Makes the node one that nothing else refers to, so that it may change.
ClusterClocks::Node &ClusterClocks::makeOwn(Reference &node, unsigned level) {
  if (!node || node->UseCount() != 1) {
    auto own = node ? llvm::makeIntrusiveRefCnt<Node>(*node) : llvm::makeIntrusiveRefCnt<Node>();
    own->level = level;
    if (level != 0)
      own->children.resize(childCount);
    node = std::move(own);
  }
  return const_cast<Node &>(*node);
}

bool ClusterClocks::raise(uint64_t cluster, unsigned warp, uint32_t time) {
  if (llvm::ArrayRef<uint32_t> known = times(cluster); warp < known.size() && known[warp] >= time)
    return false;
  unsigned level = root ? root->level : 1;
  while (bitsOfLevel * level < 64 && cluster >> (bitsOfLevel * level) != 0)
    ++level;
  if (root)
    root = lift(std::move(root), level);
  Reference *place = &root;
  for (; level != 0; --level)
    place = &makeOwn(*place, level).children[Node::childOf(cluster, level)];
  Node &leaf = makeOwn(*place, 0);
  leaf.times.resize(std::max<std::size_t>(leaf.times.size(), warp + 1));
  leaf.times[warp] = time;
  return true;
}

bool ClusterClocks::all(llvm::function_ref<bool(uint64_t cluster, llvm::ArrayRef<uint32_t> times)> condition) const {
  auto visit = [&](auto &&self, const Node *node, uint64_t cluster) -> bool {
    if (!node)
      return true;
    if (node->level == 0)
      return condition(cluster, node->times);
    return llvm::all_of(llvm::enumerate(node->children), [&](auto child) {
      return self(self, child.value().get(), cluster * childCount + child.index());
    });
  };
  return visit(visit, root.get(), 0);
}

} // namespace triton::simulator

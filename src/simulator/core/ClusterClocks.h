// What is known of the warps of all clusters, as an immutable value. A warp leaves such a value at a place in memory
// for other warps.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace triton::simulator {

/// For each warp of each cluster, the time up to which its accesses are known. The value is a tree over the numbers of
/// the clusters. Copies share it, and joining two values visits only the parts in which they differ.
class ClusterClocks {
  struct Node;
  using Reference = llvm::IntrusiveRefCntPtr<const Node>;
  static constexpr unsigned bitsOfLevel = 4, childCount = 1u << bitsOfLevel;

  /// A leaf contains the times of one cluster. A node of level n > 0 has a child for each value of the n-th lowest four
  /// bits of the cluster's number.
  struct Node : llvm::RefCountedBase<Node> {
    unsigned level = 0;
    llvm::SmallVector<uint32_t, 4> times;     ///< of a leaf
    llvm::SmallVector<Reference, 0> children; ///< of other nodes; may be null

    static unsigned childOf(uint64_t cluster, unsigned level) {
      return (cluster >> (bitsOfLevel * (level - 1))) % childCount;
    }
  };

public:
  ClusterClocks() = default;
  /// Contains the times, by warp, of one cluster.
  ClusterClocks(uint64_t cluster, llvm::ArrayRef<uint32_t> times);

  bool isEmpty() const { return !root; }
  /// Whether this is the same value in the same memory. A value in other memory may still be equal.
  bool isSame(const ClusterClocks &other) const { return root == other.root; }
  /// The times by warp of the cluster. Warps beyond the end have the time 0, and so have those of clusters that are not
  /// contained.
  llvm::ArrayRef<uint32_t> times(uint64_t cluster) const;
  /// Whether the value contains nothing about other clusters.
  bool isOnlyAbout(uint64_t cluster) const;
  ClusterClocks join(const ClusterClocks &other) const;
  /// Raises the time of one warp at least to `time`: in place, where no copy shares the memory. Returns whether that is
  /// a change.
  bool raise(uint64_t cluster, unsigned warp, uint32_t time);
  /// Whether `condition(cluster, times)` holds for all clusters that are contained.
  bool all(llvm::function_ref<bool(uint64_t cluster, llvm::ArrayRef<uint32_t> times)> condition) const;

private:
  explicit ClusterClocks(Reference root) : root(std::move(root)) {}
  static Reference lift(Reference node, unsigned level);
  struct Joined {
    Reference node;
    bool isFirst, isSecond; ///< whether it is equal to the first value, and to the second
  };
  static Joined join(const Reference &first, const Reference &second);
  static Node &makeOwn(Reference &node, unsigned level);

  Reference root; ///< null: nothing is known
};

/// The join of several values. It is computed when somebody asks for it, because most that warps find at the places of
/// their atomic operations decides nothing.
class DeferredClocks {
public:
  void join(const ClusterClocks &other) {
    if (other.isEmpty() || other.isSame(joined) || (!pending.empty() && pending.back().isSame(other)))
      return;
    pending.push_back(other);
    if (pending.size() == mostPending)
      get();
  }
  const ClusterClocks &get() const {
    for (const ClusterClocks &clocks : pending)
      joined = joined.join(clocks);
    pending.clear();
    return joined;
  }
  /// Calls `use` for values of which this is the join.
  template <typename Function> void forEach(Function use) const {
    use(joined);
    for (const ClusterClocks &clocks : pending)
      use(clocks);
  }
  void clear() {
    joined = {};
    pending.clear();
  }

private:
  static constexpr std::size_t mostPending = 1024;
  mutable ClusterClocks joined;
  mutable llvm::SmallVector<ClusterClocks, 0> pending;
};

} // namespace triton::simulator

// The state of one warp, and the accessors that instruction handlers use.
#pragma once

#include "simulator/core/AccessCounter.h"
#include "simulator/core/HostVectors.h"
#include "simulator/core/Program.h"
#include "simulator/core/ProgramState.h"
#include "simulator/core/RegisterHistory.h"
#include "simulator/core/Timeline.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace triton::simulator {

/// One asynchronous copy of a lane, such as cp.async. It is performed when the thread waits for its group, so that a
/// kernel that forgets to wait reads the earlier contents.
struct PendingCopy {
  uintptr_t destination, source;
  uint32_t bytes, sourceBytes;
  uint8_t alignment, lane;
  uint32_t location;
};

/// The copies by which a thread writes global memory. They are committed and waited for in groups. The number of a
/// group is the time of the agents.
struct BulkGroups {
  unsigned reader, writer; ///< agents: the source of a copy may be used again before everything is written
  uint32_t committed = 0;
  static constexpr uint32_t mostDrawn = 8;
  uint64_t openEnd = 0, ends[mostDrawn] = {}; ///< simulated times, of the last groups

  uint32_t openGroup() const { return committed + 1; }
};

class Warp {
public:
  enum class Status : uint8_t { Running, Waiting, Done };

  /// The phase of a barrier for which a warp waits, and the place where it waits.
  struct Wait {
    const Barrier *barrier = nullptr;
    Barrier::Phase phase = 0;
    uint32_t location = 0;
    bool acquires = true; ///< otherwise only the warp's next acquire fence does
  };

  Warp(const Program &program, ProgramState &state, unsigned index, LaneMask live, std::byte *registers,
       std::byte *local);

  /// Continues if the phase for which the warp waits is over.
  void wake();

  /// Runs until the warp waits, ends, or has executed `quantum` instructions.
  void run(uint64_t quantum);
  /// Runs until the warp is in exactly its present state again, at most for `limit` instructions. Returns whether that
  /// happened without a change of memory. Such a warp never ends unless others change memory.
  bool repeats(uint64_t limit);
  /// Appends everything except memory that decides what the warp does next.
  void appendState(std::vector<std::byte> &bytes) const;

  template <typename T> const T *read(RegisterOffset offset) const {
    return reinterpret_cast<const T *>(offset & constantBit ? program.constants.data() + (offset & ~constantBit)
                                                            : registers + offset);
  }
  template <typename T> T *write(RegisterOffset offset) { return reinterpret_cast<T *>(registers + offset); }
  LaneMask readMask(RegisterOffset offset) const { return *read<LaneMask>(offset); }
  void writeMask(RegisterOffset offset, LaneMask value) {
    LaneMask *target = write<LaneMask>(offset);
    *target = (*target & ~active) | (value & active);
  }
  /// Sets each active lane of the result to `value(lane)`.
  template <typename T, typename Function> void forEachLane(RegisterOffset result, Function value) {
    forEachLane<T>(result, 0,
                   [=](unsigned lane, bool) TRITON_ALWAYS_INLINE { [[clang::always_inline]] return value(lane); });
  }
  /// Sets each active lane of the result to `value(lane, whether the lane is in `mask`)`.
  template <typename T, typename Function> void forEachLane(RegisterOffset result, LaneMask mask, Function value) {
    T *target = write<T>(result);
    runWithVectors([=, this]() TRITON_ALWAYS_INLINE {
      for (unsigned first = 0; first < program.laneCount; first += laneGroup)
        setGroup(target, first, mask, value);
    });
  }
  /// The lanes, active or not, for which `condition(lane)` holds.
  template <typename Function> LaneMask lanesWhere(Function condition) const {
    LaneMask lanes = 0;
    runWithVectors([=, this, &lanes]() TRITON_ALWAYS_INLINE {
      for (unsigned first = 0; first < program.laneCount; first += laneGroup)
        lanes |= LaneMask(groupWhere(first, condition)) << first;
    });
    return lanes;
  }
  /// Calls `body(lane)` for the active lanes, lowest first.
  template <typename Function> void forActiveLanes(Function body) const {
    for (LaneMask rest = active; rest; rest &= rest - 1)
      body(unsigned(__builtin_ctzll(rest)));
  }

  /// Control flow: each of these ends the current block.
  void jump(const Edge &edge);
  void branch(const Edge &taken, const Edge &notTaken, LaneMask condition);
  void retire(LaneMask lanes);
  /// Splits the active lanes by the edge that each of them takes (a switch).
  void branchMany(llvm::ArrayRef<std::pair<const Edge *, LaneMask>> targets);

  unsigned firstLane() const { return active ? unsigned(__builtin_ctzll(active)) : 0; }
  /// Arrives at a barrier without waiting there. If only a part of the warp arrives, it counts as the whole warp and is
  /// reported. Without a count, the barrier is for all warps of its group. An arrival that does not release orders what
  /// the warp had done at its last fence.
  Barrier::Phase arrive(WarpBarrier &barrier, std::optional<unsigned> count, uint32_t location, bool releases = true);
  /// Waits until the phase is over. Other warps get a turn even if it is already over.
  void waitFor(const Barrier &barrier, Barrier::Phase phase, uint32_t location, bool acquires = true);

  /// The host address for the value of a pointer register. Shared pointers are offsets into the program's window.
  template <bool shared> uintptr_t hostAddress(uint64_t pointer) const {
    return shared ? state.shared.hostAddress(pointer) : uintptr_t(pointer);
  }

  /// The host address of a lane's access, or null after reporting that the access is not allowed. Records the access.
  /// `keeps` says which bytes an ordinary write leaves as they are.
  std::byte *access(uintptr_t address, std::size_t size, std::size_t alignment, AccessKind kind, unsigned lane,
                    uint32_t location, GlobalMemory::Keeps keeps = nullptr);
  /// Synchronizes by a strong access of global memory that has been performed.
  void synchronize(uintptr_t address, const MemoryOrder &order, bool reads, bool writes);
  void report(FindingKind kind, uint32_t location, unsigned lane, std::string detail);
  /// Marks an access of global memory that was reported, where somebody wants a map. Without an array, the one that is
  /// nearest to the address is meant.
  void markOnMap(FindingKind kind, const Allocation *array, uintptr_t address, std::size_t size, bool writes,
                 uint32_t location);

  /// The host address of what an agent reads or writes for the warp, or null after reporting that this is not allowed.
  const std::byte *readSharedAsynchronously(uint64_t offset, std::size_t size, Agent agent, uint32_t location);
  std::byte *writeSharedAsynchronously(ProgramState &owner, uint64_t offset, std::size_t size, Agent agent,
                                       uint32_t location, bool needsFence = true);
  /// `agentClock` is the clock of the agent.
  std::byte *accessGlobal(uintptr_t address, std::size_t size, AccessKind kind, unsigned lane, uint32_t location,
                          const WarpClock &agentClock, GlobalMemory::Keeps keeps = nullptr);
  void reportGlobal(GlobalMemory::Outcome outcome, const Allocation &allocation, uintptr_t address, std::size_t size,
                    AccessKind kind, unsigned lane, uint32_t location);
  void noteUnwritten(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind, unsigned lane,
                     uint32_t location);
  BulkGroups &bulkGroups(unsigned lane);
  /// Null if the thread has started no such copy.
  BulkGroups *findBulkGroups(unsigned lane) {
    auto found = copyGroups.find(lane);
    return found == copyGroups.end() ? nullptr : &found->second;
  }
  AsynchronousProducts &asynchronousProducts();

  /// A place in the shared memory of a program of the cluster.
  struct SharedPlace {
    ProgramState *owner; ///< null: the address is not such a place
    std::size_t offset;
    uintptr_t address; ///< on the host
  };
  /// Instructions address such places by shared pointers, by host addresses, or by 32-bit addresses that combine
  /// `remoteWindow` with the rank of a program in its cluster and an offset.
  SharedPlace findSharedPlace(uint64_t address) const;
  static constexpr uint64_t remoteWindow = uint64_t(1) << 31;
  static constexpr unsigned rankShift = 24;
  /// The barrier at an address, or null after reporting that there is none.
  MemoryBarrier *findBarrier(uint64_t address, AccessKind kind, unsigned lane, uint32_t location);
  /// "line 17" of the source.
  std::string describeLocation(uint32_t location) const;

  void enqueueCopy(PendingCopy copy);
  void commitCopies();
  void waitForCopies(unsigned newestLeftPending, uint32_t location);
  /// Performs all copies that these lanes have started.
  void completeCopies(LaneMask lanes);

  const Program &program;
  ProgramState &state;
  unsigned index;
  LaneMask active;
  Status status = Status::Running;
  std::byte *local;                    ///< localBytes for each lane
  WarpClock clock;                     ///< over the warps of the cluster
  WarpSynchronization synchronization; ///< with warps of any cluster
  Wait awaited;                        ///< the last wait
  /// At the barrier where a warp arrives and waits by two instructions, since the warp last waited there.
  std::optional<Barrier::Phase> openArrival;
  uint64_t executed = 0;
  WarpTime time;                            ///< simulated
  const DecodedInstruction *next = nullptr; ///< the one after that which is executed
  std::unique_ptr<AccessCounter> counter;   ///< null: nobody wants the counts
  const Allocation *recentArray = nullptr;  ///< which the warp accessed last

  // For reports of deadlocks.
  uint32_t lastAccess = 0;   ///< where it last touched global memory
  uintptr_t lastAddress = 0; ///< the address; 0: no access yet

private:
  std::byte *accessShared(ProgramState &owner, uintptr_t address, std::size_t size, AccessKind kind, unsigned lane,
                          uint32_t location);

  /// Sets the lanes from `first` on. Masks are cut to the group, which keeps vectors narrow.
  template <typename T, typename Function>
  TRITON_ALWAYS_INLINE void setGroup(T *target, unsigned first, LaneMask mask, const Function &value) const {
    auto lanes = uint32_t(active >> first), bits = uint32_t(mask >> first);
    target += first;
    if (lanes == ~uint32_t(0)) {
      for (unsigned i = 0; i < laneGroup; ++i) [[clang::always_inline]]
        target[i] = value(first + i, (bits >> i) & 1);
    } else {
      for (unsigned i = 0; i < laneGroup; ++i) [[clang::always_inline]]
        target[i] = (lanes >> i) & 1 ? value(first + i, (bits >> i) & 1) : target[i];
    }
  }
  template <typename Function>
  TRITON_ALWAYS_INLINE static uint32_t groupWhere(unsigned first, const Function &condition) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < laneGroup; ++i) [[clang::always_inline]]
      lanes |= uint32_t(bool(condition(first + i))) << i;
    return lanes;
  }

  /// Lanes that run together: they continue at `edge`'s block and wait for each other at `reconvergence`.
  struct Path {
    uint32_t block;
    uint32_t reconvergence;
    LaneMask lanes;
  };
  template <bool counted> void execute(uint64_t quantum);
  void executeForMap(const DecodedInstruction &instruction);
  void mapShared(std::size_t offset, std::size_t size, bool writes, uint32_t location);
  void enterBlock(uint32_t block);
  void selectPath();
  void copyLanes(const Copy &copy, LaneMask lanes);
  void follow(const Edge &edge, LaneMask lanes);
  void performCopy(const PendingCopy &copy);
  void reportShared(SharedMemory::Outcome outcome, llvm::StringRef action, std::size_t offset, std::size_t size,
                    unsigned lane, uint32_t location);

  std::byte *registers;
  llvm::SmallVector<Path, 8> paths; ///< the last one runs
  uint32_t currentBlock = 0;
  std::vector<PendingCopy> openCopies;
  std::deque<std::vector<PendingCopy>> committedCopies;
  std::unique_ptr<AsynchronousProducts> products;
  llvm::SmallDenseMap<unsigned, BulkGroups, 2> copyGroups; ///< by lane
};

/// A finding about a lane's instruction at a place.
Finding findingAt(const Warp &warp, FindingKind kind, uint32_t location, unsigned lane, std::string detail);

} // namespace triton::simulator

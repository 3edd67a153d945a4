// What the warps of a launch's first program do over simulated time: where they wait, and which copies and products go
// on beside them. The simulator has no clock of its own; this one is that of a simple machine, good for pictures.
#pragma once

#include <cstdint>
#include <vector>

namespace triton::simulator {

/// Filled while a launch runs. Times are clocks since the start of the program.
class Timeline {
public:
  enum class Kind : uint8_t { Wait, Copy, Product };
  struct Event {
    Kind kind;
    unsigned warp;     ///< that waits, or has started it
    uint32_t location; ///< index of Program::locations
    uint64_t begin, end;
    uint64_t amount; ///< bytes of copies, floating-point operations of products
    unsigned count;  ///< neighbouring ones of one place are one event
  };

  /// A memory that gives as many bytes a clock to all of a program's copies, each some time after it was asked.
  static constexpr uint64_t bytesPerClock = 32, copyLatency = 600;
  /// Of the matrix unit that every fourth warp shares.
  static constexpr uint64_t operationsPerClock = 1024;

  void addWait(unsigned warp, uint64_t begin, uint64_t end, uint32_t location) {
    add({Kind::Wait, warp, location, begin, end, 0, 1});
  }
  /// When the copy that begins now has arrived.
  uint64_t copy(unsigned warp, uint64_t now, uint64_t bytes, uint32_t location);
  /// When the product that is issued now has ended.
  uint64_t multiply(unsigned warp, uint64_t now, uint64_t operations, uint32_t location);
  /// What a warp does ends at the last time that is noted.
  void noteTime(unsigned warp, uint64_t time);

  std::vector<Event> events;  ///< those of a warp in their order
  std::vector<uint64_t> ends; ///< by warp
  bool isCut = false;         ///< there were more events than a picture can show

private:
  void add(const Event &event);

  static constexpr unsigned units = 4;
  uint64_t memoryFree = 0, unitFree[units] = {};
  std::vector<std::vector<std::size_t>> lastOfWarp; ///< the last event of each kind, plus one; 0: none
};

/// The time of one warp. Nothing happens where nobody draws it.
class WarpTime {
public:
  void start(Timeline *drawn, unsigned number) {
    timeline = drawn;
    warp = number;
  }
  bool isDrawn() const { return timeline; }
  uint64_t now() const { return time; }

  /// An instruction has ended that took so many turns of shared memory and sectors of global memory.
  void pass(uint64_t wavefronts, uint64_t sectors);
  /// The warp goes on at `end` at the earliest.
  void reach(uint64_t end, uint32_t location);

  /// A copy begins, which ends at the time that is returned.
  uint64_t copy(uint64_t bytes, uint32_t location);
  /// The copies since the last group are one, which can be waited for.
  void closeCopies();
  void waitForCopies(std::size_t leftPending, uint32_t location);

  /// A product begins. One that is not asynchronous has ended when the warp goes on.
  void multiply(uint64_t operations, uint32_t location, bool isAsynchronous);
  void closeProducts();
  uint64_t productsEnd() const { return openProducts; } ///< of those that have begun
  void waitForProducts(std::size_t leftPending, uint32_t location);

private:
  static void waitFor(WarpTime &warp, std::vector<uint64_t> &groups, std::size_t leftPending, uint32_t location);

  Timeline *timeline = nullptr;
  unsigned warp = 0;
  uint64_t time = 0, openCopies = 0, openProducts = 0;
  bool hasCopied = false;                 ///< this instruction, whose accesses are the copy's
  std::vector<uint64_t> copies, products; ///< ends of groups that nobody has waited for
};

} // namespace triton::simulator

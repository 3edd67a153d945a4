#include "simulator/core/Timeline.h"

#include <algorithm>

namespace triton::simulator {

/// Events that follow each other so closely are drawn as one.
static constexpr uint64_t gap = 8;
static constexpr std::size_t mostEvents = 20000;

void Timeline::add(const Event &event) {
  if (lastOfWarp.size() <= event.warp)
    lastOfWarp.resize(event.warp + 1, std::vector<std::size_t>(3));
  std::size_t &last = lastOfWarp[event.warp][std::size_t(event.kind)];
  Event *before = last ? &events[last - 1] : nullptr;
  if (before && before->location == event.location && event.begin <= before->end + gap && event.kind != Kind::Wait) {
    before->end = std::max(before->end, event.end);
    before->amount += event.amount;
    ++before->count;
    return;
  }
  isCut |= events.size() >= mostEvents;
  if (isCut)
    return;
  events.push_back(event);
  last = events.size();
}

uint64_t Timeline::copy(unsigned warp, uint64_t now, uint64_t bytes, uint32_t location) {
  memoryFree = std::max(memoryFree, now) + (bytes + bytesPerClock - 1) / bytesPerClock;
  uint64_t end = memoryFree + copyLatency;
  add({Kind::Copy, warp, location, now, end, bytes, 1});
  return end;
}

uint64_t Timeline::multiply(unsigned warp, uint64_t now, uint64_t operations, uint32_t location) {
  uint64_t &free = unitFree[warp % units];
  uint64_t begin = std::max(free, now);
  free = begin + (operations + operationsPerClock - 1) / operationsPerClock;
  add({Kind::Product, warp, location, begin, free, operations, 1});
  return free;
}

void Timeline::noteTime(unsigned warp, uint64_t time) {
  if (ends.size() <= warp)
    ends.resize(warp + 1);
  ends[warp] = time;
}

void WarpTime::pass(uint64_t wavefronts, uint64_t sectors) {
  time += 1 + (hasCopied ? 0 : wavefronts + sectors);
  hasCopied = false;
  timeline->noteTime(warp, time);
}

void WarpTime::reach(uint64_t end, uint32_t location) {
  if (!timeline || end <= time)
    return;
  timeline->addWait(warp, time, end, location);
  time = end;
}

uint64_t WarpTime::copy(uint64_t bytes, uint32_t location) {
  if (!timeline)
    return 0;
  hasCopied = true;
  openCopies = timeline->copy(warp, time, bytes, location);
  return openCopies;
}

void WarpTime::closeCopies() {
  if (timeline)
    copies.push_back(openCopies);
}

void WarpTime::waitFor(WarpTime &warp, std::vector<uint64_t> &groups, std::size_t leftPending, uint32_t location) {
  if (groups.size() <= leftPending)
    return;
  auto last = groups.end() - std::ptrdiff_t(leftPending);
  warp.reach(*std::max_element(groups.begin(), last), location);
  groups.erase(groups.begin(), last);
}

void WarpTime::waitForCopies(std::size_t leftPending, uint32_t location) {
  hasCopied = true;
  waitFor(*this, copies, leftPending, location);
}

void WarpTime::multiply(uint64_t operations, uint32_t location, bool isAsynchronous) {
  if (!timeline)
    return;
  openProducts = timeline->multiply(warp, time, operations, location);
  if (!isAsynchronous)
    time = std::max(time, openProducts);
}

void WarpTime::closeProducts() {
  if (timeline)
    products.push_back(openProducts);
}

void WarpTime::waitForProducts(std::size_t leftPending, uint32_t location) {
  waitFor(*this, products, leftPending, location);
}

} // namespace triton::simulator

#include "profiler/Context.h"

namespace triton::profiling {

static uint64_t nextTrack() {
  static std::atomic<uint64_t> last = 0;
  return last++;
}

ThreadContext::ThreadContext() : track(nextTrack()) {}

ThreadContext &ThreadContext::current() {
  static thread_local ThreadContext context;
  return context;
}

Node *ThreadContext::nodeOfScopes(PhaseData &data, std::size_t count) {
  if (count == 0)
    return data.root();
  Scope &scope = scopes[count - 1];
  for (auto [serial, node] : scope.known)
    if (serial == data.serial)
      return node;
  Node *node = data.child(nodeOfScopes(data, count - 1), scope.name);
  scope.known.emplace_back(data.serial, node);
  return node;
}

static std::atomic<FrameSource> frameSource = nullptr;

void setFrameSource(FrameSource source) { frameSource = source; }

std::vector<std::string> currentFrames() {
  FrameSource source = frameSource;
  return source ? source() : std::vector<std::string>();
}

} // namespace triton::profiling

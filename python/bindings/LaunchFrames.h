// The frames of the launches in progress on this thread: a grid function or a hook may launch another kernel.
#pragma once

#include "ArgumentSpecializer.h"

#include <memory>
#include <vector>

namespace triton::python {

/// A frame for the duration of one launch. Frames are reused, so that a warm launch allocates nothing.
class FrameScope {
public:
  FrameScope() : frame(stack().push()) {}
  ~FrameScope() { stack().pop(); }
  FrameScope(const FrameScope &) = delete;
  LaunchFrame &frame;

private:
  class FrameStack {
  public:
    LaunchFrame &push() {
      if (depth == frames.size())
        frames.push_back(std::make_unique<LaunchFrame>());
      return *frames[depth++];
    }
    void pop() { frames[--depth]->clear(); }

  private:
    std::vector<std::unique_ptr<LaunchFrame>> frames;
    size_t depth = 0;
  };

  static FrameStack &stack() {
    thread_local FrameStack frames;
    return frames;
  }
};

} // namespace triton::python

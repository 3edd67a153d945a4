// What a kernel leaves behind that cannot call the host: texts to print, and the assertion that failed. It writes them
// into memory that the launch passes behind all other parameters.
//
// The memory holds words of 64 bits: how many words behind the first two are claimed, how many there are, and then the
// messages. A message begins with a word, whose low half is its number among the kernel's messages, counted from 1, and
// whose high half is the number of its words. Behind it lie the values, each aligned to its size. A thread claims the
// words of a message by an atomic addition, and leaves out a message for which there is no room.
#pragma once

#include "base/CompiledKernel.h"

namespace triton::backends {

class MessageBuffer {
public:
  MessageBuffer();

  uint64_t *data() { return words.data(); }
  std::size_t bytes() const { return words.size() * sizeof(uint64_t); }

  /// After the kernel has ended: prints its texts. Returns that of the first assertion that failed, or nothing.
  std::string print(const std::vector<base::DeviceMessage> &messages) const;
  /// The same, but throws std::runtime_error if an assertion failed.
  void report(const std::vector<base::DeviceMessage> &messages) const;

private:
  std::vector<uint64_t> words;
};

} // namespace triton::backends

// How a tool of the host learns which instructions of simulated launches read memory that nobody has written. The tool
// fills such memory with a word; what reads the word is noted.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace triton::base {

/// Of this process.
class UnwrittenReads {
public:
  /// The word that stands for four bytes that nobody has written; 0: reads are not noted.
  std::atomic<uint32_t> word = 0;

  /// Adds reads of one launch, as rendered errors.
  void add(std::vector<std::string> reads) {
    std::lock_guard lock(mutex);
    for (std::string &read : reads)
      texts.push_back(std::move(read));
  }
  /// The reads since the last call.
  std::vector<std::string> take() {
    std::lock_guard lock(mutex);
    return std::exchange(texts, {});
  }

private:
  std::mutex mutex;
  std::vector<std::string> texts;
};

inline UnwrittenReads &unwrittenReads() {
  static UnwrittenReads reads;
  return reads;
}

} // namespace triton::base

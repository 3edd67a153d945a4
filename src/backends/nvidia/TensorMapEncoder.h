// The tensor maps that the launches of one kernel pass behind its arguments.
#pragma once

#include "backends/nvidia/Driver.h"
#include "base/CompiledKernel.h"

#include <array>
#include <atomic>

namespace triton::nvidia {

/// A CUtensorMap, which only the driver understands.
struct alignas(64) EncodedTensorMap {
  std::array<uint64_t, 16> words;
};
static_assert(sizeof(EncodedTensorMap) == 128);

/// Keeps the maps of earlier launches, by the arguments that they were computed from. Thread-safe.
class TensorMapEncoder {
public:
  explicit TensorMapEncoder(const base::CompiledKernel &kernel);

  std::size_t count() const { return maps.size(); }
  /// Writes the maps of a launch with these arguments in the current context, `count()` of them. Throws
  /// base::LaunchError for arrays that no tensor map can describe.
  void encode(const Driver &driver, void *context, std::span<const uint64_t> slots,
              std::span<EncodedTensorMap> out) const;

private:
  /// The maps of one launch. Its place follows from its arguments, so that a later launch may take it over.
  struct Entry {
    std::atomic<bool> isBusy = false;      ///< a thread reads or writes it; others do without, so that none ever waits
    std::vector<int64_t> key;              ///< the context and the arguments
    std::vector<EncodedTensorMap> encoded; ///< empty: none yet
  };
  static constexpr std::size_t entryCount = 32;

  void encodeAnew(const Driver &driver, void *context, std::span<const uint64_t> slots,
                  std::span<EncodedTensorMap> out) const;

  std::string kernel;
  std::vector<base::TensorMapParameter> maps;
  std::vector<base::RuntimeArgument> arguments;
  std::vector<std::size_t> used; ///< the arguments that the maps are computed from
  mutable std::vector<Entry> entries;
};

} // namespace triton::nvidia

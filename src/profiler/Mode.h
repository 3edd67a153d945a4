// The text by which users choose how a backend records: `name:key=value:key=value`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace triton::profiling {

enum class OutputFormat { Hatchet, HatchetMessagePack, ChromeTrace };

/// The end of the names of such files.
std::string_view extensionOf(OutputFormat format);
/// Throws std::invalid_argument for a name that is not a format's.
OutputFormat parseFormat(std::string_view name);

struct Mode {
  std::string name; ///< empty: the usual one
  std::map<std::string, std::string> options;

  bool operator==(const Mode &) const = default;
  /// An option whose value is a number, or what it is without the option.
  int64_t number(const std::string &option, int64_t otherwise) const;
};

/// Throws std::invalid_argument, which names what is wrong, unless the backend has such a mode with such options.
Mode parseMode(std::string_view backend, std::string_view text);

} // namespace triton::profiling

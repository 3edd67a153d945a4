// Profiles of a C++ program with kernels: which part of it launched what, and how long that took.
//
//   triton::profiler::Session session({.name = "run"});    // will write run.hatchet
//   {
//     triton::profiler::Scope scope("attention");
//     kernel.launch(...);                                  // belongs to the scope
//   }
//   session.finalize();
//
// The files, backends and metrics are those of the package `triton.profiler`. Errors are triton::Error of the kind Run.
#pragma once

#include "triton/triton.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace triton::profiler {

/// How a session records.
struct Options {
  std::string name = "proton"; ///< of the file, without its end
  std::string data = "tree";   ///< sums in a tree of scopes, or each event with its time ("trace")
  std::string backend = "cpu"; ///< "cpu", "simulator" or, for NVIDIA GPUs, "cupti"
  std::string mode = {};       ///< such as "periodic_flushing:format=hatchet_msgpack"
};

/// A session. While there is none, scopes cost a comparison and launches read one word.
class TRITON_API Session {
public:
  explicit Session(const Options &options = {});
  Session(Session &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Session &operator=(Session &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  /// Finalizes a session that is not finalized yet; a file that cannot be written is reported on standard error.
  ~Session();

  /// Interrupts the session and continues it. `waits`: what devices still do is recorded first.
  void deactivate(bool waits = false);
  void activate();
  /// Writes `<name>.hatchet`, or `<name>.chrome_trace` for a trace. The format "hatchet_msgpack" is the other one for
  /// trees. The session has ended then.
  void finalize(std::string_view format = {});

  /// What has been recorded in a phase, as finalize would write it.
  std::string json(std::int64_t phase = 0) const;
  /// Begins the next phase and returns its number.
  std::int64_t advancePhase();

private:
  std::int64_t number = -1;
};

/// A number that belongs to a scope. Suffixes of the name say how several are joined, as in Python.
struct Metric {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// A part of the program, as long as the object lives; scopes of one thread end in the reverse order.
class TRITON_API Scope {
public:
  explicit Scope(std::string_view name, const std::vector<Metric> &metrics = {});
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope();

private:
  std::int64_t number;
};

} // namespace triton::profiler

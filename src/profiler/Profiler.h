// Profiles of running programs: sessions, each of which records what launches do, and scopes, which say to which part
// of the program they belong. All functions are thread-safe. Wrong arguments throw std::invalid_argument, and what
// cannot be had or written throws std::runtime_error.
#pragma once

#include "profiler/Metric.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace triton::profiling {

using SessionId = int64_t;

enum class ContextKind { Shadow, Frames };

struct SessionOptions {
  std::string name = "proton"; ///< of the file, without its end
  std::string context = "shadow";
  std::string data = "tree";
  std::string backend; ///< "cupti", "roctracer" or "rocprofiler", "cpu", "simulator", "instrumentation"
  std::string mode;

  bool operator==(const SessionOptions &) const = default;
};

/// Starts a session, or activates the one that writes the same file.
SessionId start(const SessionOptions &options);
/// No number: all sessions.
void activate(std::optional<SessionId> session);
void deactivate(std::optional<SessionId> session, bool flushes);
/// Writes the files of sessions and forgets them. An empty format is the usual one.
void finalize(std::optional<SessionId> session, const std::string &format);

/// Whether there is any session, active or not.
bool hasSessions();
bool hasSession(SessionId session);
bool isActive(SessionId session);
/// What active sessions of the backend `instrumentation` want kernels to record of their scopes, as the compiler's
/// option `profile_scopes`; empty: nothing.
std::string instrumentation();

// What a session has recorded. A phase is what lies between two calls of `advancePhase`.
std::string phaseAsJson(SessionId session, int64_t phase);
std::string phaseAsMessagePack(SessionId session, int64_t phase);
int64_t advancePhase(SessionId session);
bool isPhaseComplete(SessionId session, int64_t phase);
void clearPhase(SessionId session, int64_t phase, bool earlierOnes);
/// How many scopes, or calls, are open where the program is.
int64_t contextDepth(SessionId session);

// Scopes of this thread. Without sessions nothing is opened, and the number is -1.
int64_t enterScope(std::string_view name, std::span<const Metric> metrics = {});
/// An empty name: whatever it is. Throws unless the innermost scope has the name. Returns the number of the scope.
int64_t exitScope(std::string_view name, std::span<const Metric> metrics = {});
void enterState(std::string_view name);
void exitState();
/// Until exitOperation, launches of this thread are recorded by this name, with these metrics.
void enterOperation(std::string_view name, std::span<const Metric> metrics);
void exitOperation();

/// The present place of this thread, for metrics whose values come later. It keeps the data that it belongs to.
class MetricTarget {
public:
  static MetricTarget current();
  void add(std::span<const Metric> metrics) const;

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace triton::profiling

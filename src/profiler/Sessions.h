// The sessions of the process, and which of them record now.
#pragma once

#include "profiler/Collector.h"
#include "profiler/Output.h"
#include "profiler/Profiler.h"

#include <map>
#include <memory>
#include <mutex>

namespace triton::profiling {

class Session {
public:
  /// Throws std::invalid_argument for options that do not exist.
  explicit Session(SessionOptions options);

  /// Where the session records now.
  std::shared_ptr<PhaseData> current() const { return phases.rbegin()->second; }
  int64_t phase() const { return phases.rbegin()->first; }
  /// Throws std::invalid_argument where there is none.
  PhaseData &find(int64_t phase) const;
  int64_t advance();
  bool isComplete(int64_t phase) const;
  void clear(int64_t phase, bool earlierOnes);

  std::string renderPhase(int64_t phase, OutputFormat format) const;
  /// Writes and forgets the phases that have ended, where the mode says so.
  void flushPeriodically();
  void checkFormat(OutputFormat format) const;
  /// What finalize writes: one file, or one for each phase.
  void write(OutputFormat format);
  OutputFormat usualFormat() const;

  const SessionOptions options;
  const ContextKind context;
  const bool isTrace;
  const Mode mode;
  Collector &collector;
  bool isActive = false;

private:
  std::string pathOfPart(int64_t phase, OutputFormat format) const;

  std::map<int64_t, std::shared_ptr<PhaseData>> phases; ///< the last one is the present one
  int64_t parts = 0;                                    ///< that were written
};

/// An active session, for threads that record.
struct ActiveSession {
  ContextKind context;
  std::string backend;
  std::shared_ptr<PhaseData> data;
};
using ActiveSessions = std::shared_ptr<const std::vector<ActiveSession>>;
/// Null: none is active.
ActiveSessions activeSessions();

} // namespace triton::profiling

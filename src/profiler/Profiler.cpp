#include "profiler/Profiler.h"

#include "base/LaunchObserver.h"
#include "compiler/ScopeRecords.h"
#include "profiler/Sessions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

#include <stdexcept>

namespace triton::profiling {

//===-- Sessions ----------------------------------------------------------------------------------------------------===

namespace {

/// All sessions, by their numbers. `active` is what recording threads read.
struct Registry {
  std::mutex mutex;
  std::map<SessionId, std::unique_ptr<Session>> sessions;
  SessionId next = 0;
  std::atomic<bool> isEmpty = true;

  std::mutex activeMutex; ///< of `active` alone; taken last
  ActiveSessions active;

  Session &find(SessionId id) {
    auto found = sessions.find(id);
    if (found == sessions.end())
      throw std::invalid_argument("there is no session " + std::to_string(id) + " of the profiler");
    return *found->second;
  }

  std::vector<Session *> select(std::optional<SessionId> id) {
    if (id)
      return {&find(*id)};
    std::vector<Session *> all;
    all.reserve(sessions.size());
    for (auto &[number, session] : sessions)
      all.push_back(session.get());
    return all;
  }

  bool isCollecting(const Collector &collector) const {
    return llvm::any_of(
        sessions, [&](const auto &entry) { return entry.second->isActive && &entry.second->collector == &collector; });
  }

  void publish() {
    auto list = std::make_shared<std::vector<ActiveSession>>();
    for (auto &[number, session] : sessions)
      if (session->isActive)
        list->push_back({session->context, session->options.backend, session->current()});
    std::lock_guard lock(activeMutex);
    active = list->empty() ? nullptr : list;
    isEmpty = sessions.empty();
  }

  void activate(Session &session) {
    if (session.isActive)
      return;
    for (auto &[number, other] : sessions)
      if (other->isActive && &other->collector == &session.collector && other->mode != session.mode)
        throw std::invalid_argument("the session `" + session.options.name + "` asks for another mode than `" +
                                    other->options.name + "`, which uses the same backend; deactivate one of them");
    if (!isCollecting(session.collector))
      session.collector.start(session.mode);
    session.isActive = true;
  }

  void deactivate(Session &session) {
    if (!session.isActive)
      return;
    session.isActive = false;
    if (!isCollecting(session.collector))
      session.collector.stop();
  }
};

/// Never destroyed, because threads may record until the process has ended.
Registry &registry() {
  static Registry &instance = *new Registry;
  return instance;
}

/// How many warps a unit of this name has; 0: all of the program.
unsigned warpsOf(llvm::StringRef granularity) {
  constexpr unsigned warpsOfGroup = 4;
  if (granularity == "cta")
    return 0;
  bool isGroup = granularity.starts_with("warp_group");
  unsigned count = 1;
  granularity.rsplit('_').second.getAsInteger(10, count); // otherwise it has no number
  return isGroup ? warpsOfGroup * count : count;
}

compiler::ScopeOptions scopeOptionsOf(const Mode &mode, bool traces) {
  auto text = [&](const char *option, const char *otherwise) {
    auto found = mode.options.find(option);
    return llvm::StringRef(found == mode.options.end() ? otherwise : found->second.c_str());
  };
  compiler::ScopeOptions options;
  options.products = mode.name == "mma";
  if (!traces)
    return options;
  constexpr int64_t usualBytes = 4096, bytesOfRecord = compiler::ScopeTable::numbersOfRecord * sizeof(int64_t);
  int64_t bytes = mode.number("buffer_size", 0);
  options.records = unsigned(std::max<int64_t>((bytes ? bytes : usualBytes) / bytesOfRecord, 1));
  options.keepsLatest = text("buffer_strategy", "circular") == "circular";
  options.warpsOfUnit = warpsOf(text("granularity", "warp"));
  unsigned unit = 0;
  if (text("sampling_strategy", "none") == "selective")
    for (llvm::StringRef part : llvm::split(text("sampling_options", ""), ','))
      if (!part.trim().getAsInteger(10, unit))
        options.selection.push_back(unit);
  return options;
}

} // namespace

ActiveSessions activeSessions() {
  Registry &all = registry();
  std::lock_guard lock(all.activeMutex);
  return all.active;
}

/// Triton has backends for two of ROCm's libraries, of which one is used here.
static SessionOptions withOwnBackend(SessionOptions options) {
  if (options.backend == "rocprofiler")
    options.backend = "roctracer";
  return options;
}

SessionId start(const SessionOptions &given) {
  SessionOptions options = withOwnBackend(given);
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  for (auto &[number, session] : all.sessions) {
    if (session->options.name != options.name)
      continue;
    if (session->options != options)
      throw std::invalid_argument("there is a session `" + options.name +
                                  "` with other options; finalize it, or choose another name");
    all.activate(*session);
    all.publish();
    return number;
  }
  auto session = std::make_unique<Session>(options);
  all.activate(*session);
  SessionId number = all.next++;
  all.sessions.emplace(number, std::move(session));
  all.publish();
  return number;
}

void activate(std::optional<SessionId> id) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  for (Session *session : all.select(id))
    all.activate(*session);
  all.publish();
}

void deactivate(std::optional<SessionId> id, bool flushes) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  for (Session *session : all.select(id)) {
    if (flushes && session->isActive)
      session->collector.flush(/*waits=*/true);
    all.deactivate(*session);
  }
  all.publish();
}

void finalize(std::optional<SessionId> id, const std::string &format) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<Session *> chosen = all.select(id);
  for (Session *session : chosen)
    if (!format.empty())
      session->checkFormat(parseFormat(format)); // before anything is lost
  std::exception_ptr failure;
  for (Session *session : chosen) {
    try {
      if (session->isActive)
        session->collector.flush(/*waits=*/true);
      all.deactivate(*session);
      session->write(format.empty() ? session->usualFormat() : parseFormat(format));
    } catch (...) {
      failure = std::current_exception(); // the other sessions are written all the same
    }
  }
  std::erase_if(all.sessions, [&](const auto &entry) { return llvm::is_contained(chosen, entry.second.get()); });
  if (all.sessions.empty())
    all.next = 0;
  all.publish();
  if (failure)
    std::rethrow_exception(failure);
}

bool hasSessions() { return !registry().isEmpty.load(std::memory_order_relaxed); }

bool hasSession(SessionId id) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  return all.sessions.contains(id);
}

bool isActive(SessionId id) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  return all.find(id).isActive;
}

std::string instrumentation() {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  const Session *found = nullptr;
  bool traces = false;
  for (const auto &[number, session] : all.sessions)
    if (session->isActive && session->options.backend == "instrumentation") {
      found = session.get(); // all have the same mode
      traces |= session->isTrace;
    }
  return found ? scopeOptionsOf(found->mode, traces).text() : "";
}

std::string phaseAsJson(SessionId id, int64_t phase) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  Session &session = all.find(id);
  session.collector.flush(/*waits=*/false);
  return session.renderPhase(phase, session.isTrace ? OutputFormat::ChromeTrace : OutputFormat::Hatchet);
}

std::string phaseAsMessagePack(SessionId id, int64_t phase) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  Session &session = all.find(id);
  session.collector.flush(/*waits=*/false);
  return session.renderPhase(phase, OutputFormat::HatchetMessagePack);
}

int64_t advancePhase(SessionId id) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  int64_t next = all.find(id).advance();
  all.publish();
  return next;
}

bool isPhaseComplete(SessionId id, int64_t phase) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  Session &session = all.find(id);
  session.collector.flush(/*waits=*/false);
  bool isComplete = session.isComplete(phase);
  session.flushPeriodically();
  return isComplete;
}

void clearPhase(SessionId id, int64_t phase, bool earlierOnes) {
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  all.find(id).clear(phase, earlierOnes);
  all.publish();
}

int64_t contextDepth(SessionId id) {
  Registry &all = registry();
  ContextKind context;
  {
    std::lock_guard lock(all.mutex);
    context = all.find(id).context;
  }
  return int64_t(context == ContextKind::Shadow ? ThreadContext::current().scopes.size() : currentFrames().size());
}

//===-- Places ------------------------------------------------------------------------------------------------------===

/// The place of this thread in the sessions of a backend, or of all. The state is part of it.
static Places currentPlaces(std::string_view backend) {
  Places places;
  ActiveSessions active = activeSessions();
  if (!active)
    return places;
  ThreadContext &thread = ThreadContext::current();
  std::optional<std::vector<std::string>> frames;
  for (const ActiveSession &session : *active) {
    if (!backend.empty() && session.backend != backend)
      continue;
    if (session.context == ContextKind::Frames && !frames)
      frames = currentFrames();
    std::lock_guard lock(session.data->mutex);
    Node *node = session.context == ContextKind::Frames ? session.data->descend(session.data->root(), *frames)
                                                        : thread.scopeNode(*session.data);
    places.push_back({session.data, thread.withState(*session.data, node)});
  }
  return places;
}

static void addMetrics(const Places &places, std::span<const Metric> metrics) {
  if (metrics.empty())
    return;
  int64_t now = base::launchClock();
  for (const Place &place : places) {
    std::lock_guard lock(place.data->mutex);
    place.data->addMetrics(place.node, metrics, now, ThreadContext::current().track);
  }
}

LaunchPlaces currentLaunchPlaces(std::string_view backend) {
  ThreadContext &thread = ThreadContext::current();
  if (thread.hasOperation)
    return {thread.operation, /*areOfKernel=*/true};
  return {currentPlaces(backend)};
}

void recordKernel(const LaunchPlaces &places, const KernelRecord &record) {
  for (const Place &place : places.places) {
    std::lock_guard lock(place.data->mutex);
    Node *node = places.kernelNode(place, record.name);
    place.data->add(node, {"count", int64_t(1)});
    for (const Metric &metric : record.metrics)
      place.data->add(node, metric);
    if (place.data->isTrace)
      place.data->events.push_back(
          {TraceEvent::Kind::Kernel, node, record.begin, record.end, record.track, -1, record.metrics});
  }
}

struct MetricTarget::State {
  Places places;
};

MetricTarget MetricTarget::current() {
  MetricTarget target;
  target.state = std::make_shared<State>(State{currentPlaces("")});
  return target;
}

void MetricTarget::add(std::span<const Metric> metrics) const { addMetrics(state->places, metrics); }

//===-- Scopes ------------------------------------------------------------------------------------------------------===

static std::atomic<int64_t> nextScope = 0;

int64_t enterScope(std::string_view name, std::span<const Metric> metrics) {
  if (!hasSessions())
    return -1;
  ThreadContext &thread = ThreadContext::current();
  thread.scopes.push_back({std::string(name), nextScope++, base::launchClock(), {}});
  addMetrics(currentPlaces(""), metrics); // the scope appears even if nothing happens inside
  return thread.scopes.back().id;
}

/// Adds a scope that ends to the traces.
static void traceScope(const ThreadContext::Scope &scope) {
  ActiveSessions active = activeSessions();
  if (!active)
    return;
  int64_t now = base::launchClock();
  for (const ActiveSession &session : *active) {
    if (!session.data->isTrace || session.context != ContextKind::Shadow)
      continue;
    std::lock_guard lock(session.data->mutex);
    ThreadContext &thread = ThreadContext::current();
    session.data->events.push_back(
        {TraceEvent::Kind::Scope, thread.scopeNode(*session.data), scope.begin, now, thread.track, scope.id, {}});
  }
}

int64_t exitScope(std::string_view name, std::span<const Metric> metrics) {
  ThreadContext &thread = ThreadContext::current();
  if (thread.scopes.empty())
    return -1;
  const ThreadContext::Scope &scope = thread.scopes.back();
  if (!name.empty() && name != scope.name)
    throw std::invalid_argument("the innermost open scope is `" + scope.name + "`, not `" + std::string(name) +
                                "`; scopes end in the reverse order of their beginnings");
  addMetrics(metrics.empty() ? Places() : currentPlaces(""), metrics);
  traceScope(scope);
  int64_t id = scope.id;
  thread.scopes.pop_back();
  return id;
}

void enterState(std::string_view name) { ThreadContext::current().states.emplace_back(name); }

void exitState() {
  std::vector<std::string> &states = ThreadContext::current().states;
  if (!states.empty())
    states.pop_back();
}

void enterOperation(std::string_view name, std::span<const Metric> metrics) {
  ThreadContext &thread = ThreadContext::current();
  thread.operation = currentPlaces("");
  for (Place &place : thread.operation) {
    std::lock_guard lock(place.data->mutex);
    place.node = place.data->child(place.node, name);
  }
  thread.hasOperation = true;
  addMetrics(thread.operation, metrics);
}

void exitOperation() {
  ThreadContext &thread = ThreadContext::current();
  thread.hasOperation = false;
  thread.operation.clear();
}

} // namespace triton::profiling

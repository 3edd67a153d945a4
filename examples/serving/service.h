// The HTTP side: reads requests, and writes answers, metrics and errors as JSON.
#ifndef SERVING_SERVICE_H
#define SERVING_SERVICE_H

#include "batcher.h"
#include "latency.h"

#include <atomic>
#include <functional>
#include <httplib.h>
#include <string>
#include <thread>

namespace serving {

class Service {
public:
  Service(const Model &model, Batcher &batcher, CurrentLibrary &libraries, int connections);
  Service(const Service &) = delete;
  Service &operator=(const Service &) = delete;
  ~Service() { stop(); }

  /// Binds the port, 0 for any that is free, and answers on threads of its own; the port. Throws std::runtime_error if
  /// it cannot. Calls `onEnd` if it ever stops listening by itself.
  int start(const std::string &host, int port, std::function<void()> onEnd);
  /// Takes no further connections, and returns when all requests that it has read are answered.
  void stop();
  std::string report() const;

private:
  void addRoutes();
  std::string predict(const std::string &body);
  std::string metrics() const;

  const Model &model;
  Batcher &batcher;
  CurrentLibrary &libraries;
  LatencyHistogram latencies;
  httplib::Server server;
  socket_t listening = INVALID_SOCKET;
  std::atomic<bool> hasEnded = false;
  std::thread listener;
};

} // namespace serving

#endif

#include "service.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sys/socket.h>

namespace serving {
namespace {

using Json = nlohmann::json;

/// A request that the client must change.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr int defaultTop = 5;
constexpr std::size_t mostBytesOfBody = 1 << 20;

struct Prediction {
  std::vector<std::int32_t> tokens;
  int top = defaultTop;
};

std::int64_t integer(const Json &value, const std::string &what) {
  if (!value.is_number_integer())
    throw BadRequest(what + " is not an integer: " + value.dump(-1, ' ', false, Json::error_handler_t::replace));
  // What no 64 bits hold is as wrong as the largest number.
  if (value.is_number_unsigned())
    return std::int64_t(std::min<std::uint64_t>(value.get<std::uint64_t>(), INT64_MAX));
  return value.get<std::int64_t>();
}

Prediction parse(const std::string &body, const ModelShape &shape) {
  Json request;
  try {
    request = Json::parse(body);
  } catch (const Json::exception &error) {
    throw BadRequest(std::string("the body is not JSON: ") + error.what());
  }
  if (!request.is_object() || !request.contains("tokens") || !request["tokens"].is_array())
    throw BadRequest("the body must be an object with an array `tokens`");
  Prediction prediction;
  for (const Json &token : request["tokens"]) {
    std::string what = "token " + std::to_string(prediction.tokens.size());
    std::int64_t number = integer(token, what);
    if (number < 0 || number >= shape.vocabulary)
      throw BadRequest(what + " is " + std::to_string(number) + ", and the model's tokens are 0 to " +
                       std::to_string(shape.vocabulary - 1));
    prediction.tokens.push_back(std::int32_t(number));
  }
  if (request.contains("top")) {
    std::int64_t top = integer(request["top"], "`top`");
    if (top < 1 || top > shape.vocabulary)
      throw BadRequest("`top` is " + std::to_string(top) + ", not from 1 to " + std::to_string(shape.vocabulary));
    prediction.top = int(top);
  }
  return prediction;
}

Json mostProbable(const std::vector<float> &probabilities, int count) {
  std::vector<int> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, int(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int left, int right) {
    return probabilities[std::size_t(left)] > probabilities[std::size_t(right)];
  });
  Json found = Json::array();
  for (int i = 0; i < count; ++i)
    found.push_back(
        {{"token", order[std::size_t(i)]}, {"probability", probabilities[std::size_t(order[std::size_t(i)])]}});
  return found;
}

void answerError(httplib::Response &response, int status, const std::string &message) {
  response.status = status;
  response.set_content(Json{{"error", message}}.dump(-1, ' ', false, Json::error_handler_t::replace),
                       "application/json");
}

/// Runs `make` for the body of the response; its exceptions become statuses.
template <typename Make> httplib::Server::Handler handler(Make make) {
  return [make](const httplib::Request &request, httplib::Response &response) {
    try {
      response.set_content(make(request), "application/json");
    } catch (const BadRequest &error) {
      answerError(response, 400, error.what());
    } catch (const std::invalid_argument &error) {
      answerError(response, 400, error.what());
    } catch (const QueueFull &error) {
      response.set_header("Retry-After", "1");
      answerError(response, 503, error.what());
    } catch (const std::exception &error) {
      answerError(response, 500, error.what());
    }
  };
}

} // namespace

Service::Service(const Model &model, Batcher &batcher, CurrentLibrary &libraries, int connections)
    : model(model), batcher(batcher), libraries(libraries) {
  server.new_task_queue = [connections] { return new httplib::ThreadPool(std::size_t(connections)); };
  server.set_payload_max_length(mostBytesOfBody);
  server.set_keep_alive_max_count(SIZE_MAX);
  server.set_keep_alive_timeout(2);
  server.set_tcp_nodelay(true);
  // In place of the default, which would let a second server share the port.
  server.set_socket_options([this](socket_t socket) {
    int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    listening = socket;
  });
  addRoutes();
}

void Service::addRoutes() {
  server.Post("/predict", handler([this](const httplib::Request &request) { return predict(request.body); }));
  server.Post("/reload",
              handler([this](const httplib::Request &) { return Json{{"generation", libraries.reload()}}.dump(); }));
  server.Get("/metrics", handler([this](const httplib::Request &) { return metrics(); }));
  server.set_error_handler([](const httplib::Request &request, httplib::Response &response) {
    if (response.body.empty())
      answerError(response, response.status,
                  response.status == 404   ? "there is nothing at " + request.method + " " + request.path
                  : response.status == 413 ? "the body is too long"
                                           : "the request cannot be read; one with a body needs its Content-Length");
  });
}

std::string Service::predict(const std::string &body) {
  Clock::time_point start = Clock::now();
  Prediction prediction = parse(body, model.shape());
  model.check(prediction.tokens);
  Answer answer = batcher.submit(std::move(prediction.tokens)).get();
  std::string text = Json{
      {"next", mostProbable(answer.probabilities, prediction.top)},
      {"generation", answer.generation},
      {"batch",
       answer.batch}}.dump();
  latencies.add(Clock::now() - start);
  return text;
}

std::string Service::metrics() const {
  LatencyHistogram::Summary summary = latencies.summary();
  Batcher::Counts counts = batcher.counts();
  std::shared_ptr<const KernelLibrary> library = libraries.get();
  return Json{
      {"requests", summary.requests},
      {"requests_per_second", summary.requestsPerSecond},
      {"latency_ms", {{"p50", summary.p50}, {"p90", summary.p90}, {"p99", summary.p99}, {"largest", summary.largest}}},
      {"batches", counts.batches},
      {"sequences", counts.sequences},
      {"waiting", counts.waiting},
      {"generation", library->generation()},
      {"target", library->kernels().target()}}
      .dump();
}

std::string Service::report() const {
  LatencyHistogram::Summary summary = latencies.summary();
  Batcher::Counts counts = batcher.counts();
  char text[256];
  std::snprintf(text, sizeof(text),
                "%llu requests in %llu batches, %.1f a second; latency p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, largest "
                "%.2f ms",
                static_cast<unsigned long long>(summary.requests), static_cast<unsigned long long>(counts.batches),
                summary.requestsPerSecond, summary.p50, summary.p90, summary.p99, summary.largest);
  return text;
}

int Service::start(const std::string &host, int port, std::function<void()> onEnd) {
  errno = 0;
  int bound = port == 0 ? server.bind_to_any_port(host) : server.bind_to_port(host, port) ? port : -1;
  if (bound < 0)
    throw std::runtime_error("cannot listen at " + host + ":" + std::to_string(port) +
                             (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string()));
  // The library lets 5 new connections wait. What clients send on more of them would be lost, and sent again by TCP
  // after 0.2 to 2 seconds.
  ::listen(listening, SOMAXCONN);
  listener = std::thread([this, onEnd = std::move(onEnd)] {
    server.listen_after_bind();
    hasEnded = true;
    onEnd();
  });
  // `stop` does nothing to a server that does not listen yet.
  while (!server.is_running() && !hasEnded)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return bound;
}

void Service::stop() {
  if (!listener.joinable())
    return;
  server.stop();
  listener.join();
}

} // namespace serving

#include "explorer/Server.h"

#include "explorer/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <httplib.h>
#include <mutex>
#include <stdexcept>
#include <thread>

using namespace triton;
using namespace triton::explorer;
using llvm::json::Object;
using llvm::json::Value;

static std::string print(Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << Value(std::move(object));
  return text;
}

static Object toJson(const CompileQuestion &question) {
  return Object{{"source", question.source}, {"kernel", question.kernel},      {"signature", question.signature},
                {"target", question.target}, {"num_warps", question.numWarps}, {"num_stages", question.numStages}};
}

/// What the text lacks stays as it is in `question`. False where it is no such object.
static bool read(llvm::StringRef text, CompileQuestion &question) {
  llvm::Expected<Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const Object *object = parsed->getAsObject();
  if (!object)
    return false;
  for (auto [name, member] : {std::pair("source", &question.source), std::pair("kernel", &question.kernel),
                              std::pair("signature", &question.signature), std::pair("target", &question.target)})
    if (std::optional<llvm::StringRef> given = object->getString(name))
      *member = given->str();
  for (auto [name, member] : {std::pair("num_warps", &question.numWarps), std::pair("num_stages", &question.numStages)})
    if (std::optional<int64_t> given = object->getInteger(name))
      *member = int(std::clamp<int64_t>(*given, 1, 64));
  question.isQuick = object->getBoolean("quick").value_or(false);
  return true;
}

namespace {

/// One compilation at a time. A new question abandons the one before it.
class Compilations {
public:
  explicit Compilations(const ServerOptions &options) : options(options) {}

  std::string answer(const CompileQuestion &question) {
    auto isAbandoned = std::make_shared<std::atomic<bool>>(false);
    {
      std::lock_guard lock(latestMutex);
      if (latest)
        latest->store(true);
      latest = isAbandoned;
    }
    std::lock_guard lock(compileMutex);
    if (isAbandoned->load())
      return print(Object{{"abandoned", true}});
    return print(options.compile(question, *isAbandoned));
  }

private:
  const ServerOptions &options;
  std::mutex latestMutex, compileMutex;
  std::shared_ptr<std::atomic<bool>> latest;
};

} // namespace

/// A page of another origin must not send source text here, nor read answers by another name for this machine.
static bool isOwnRequest(const httplib::Request &request, const std::string &port) {
  auto isOwn = [&](llvm::StringRef host) { return host == "127.0.0.1:" + port || host == "localhost:" + port; };
  if (!isOwn(request.get_header_value("Host")))
    return false;
  std::string header = request.get_header_value("Origin");
  llvm::StringRef origin = header;
  return origin.empty() || (origin.consume_front("http://") && isOwn(origin));
}

static void addFiles(httplib::Server &server) {
  for (const PageFile &file : pageFiles())
    server.Get(file.path.str(), [&file](const httplib::Request &, httplib::Response &response) {
      response.set_content(file.text.data(), file.text.size(), file.type.str());
    });
}

static void addQuestions(httplib::Server &server, const ServerOptions &options, Compilations &compilations) {
  server.Get("/question", [&](const httplib::Request &, httplib::Response &response) {
    response.set_content(print(toJson(options.first)), "application/json");
  });
  server.Post("/compile", [&](const httplib::Request &request, httplib::Response &response) {
    CompileQuestion question = options.first;
    if (!read(request.body, question)) {
      response.status = 400;
      response.set_content(R"({"error": {"text": "the request is not an object of JSON"}})", "application/json");
      return;
    }
    response.set_content(compilations.answer(question), "application/json");
  });
}

namespace {

/// Stops the server when a signal arrives. All threads that start later have these signals blocked.
class SignalThread {
public:
  explicit SignalThread(httplib::Server &server) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread = std::thread([this, &server] {
      int signal = 0;
      sigwait(&signals, &signal);
      // A server that does not listen yet would not hear of its end.
      while (!server.is_running() && !isOver)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      server.stop();
    });
  }
  ~SignalThread() {
    isOver = true;
    pthread_kill(thread.native_handle(), SIGINT);
    thread.join();
  }

private:
  sigset_t signals;
  std::atomic<bool> isOver = false; ///< the server has ended
  std::thread thread;
};

} // namespace

void explorer::serve(const ServerOptions &options) {
  httplib::Server server;
  Compilations compilations(options);
  constexpr char address[] = "127.0.0.1";
  // Without SO_REUSEPORT, with which a second server would share the port.
  server.set_socket_options([](socket_t socket) {
    int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  int port = options.port;
  if (port == 0)
    port = server.bind_to_any_port(address);
  else if (!server.bind_to_port(address, port))
    port = -1;
  if (port < 0)
    throw std::runtime_error("port " + std::to_string(options.port) +
                             " is in use; give another one, or none for any that is free");
  std::string portText = std::to_string(port);
  server.set_default_headers({{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "
                                                          "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                                                          "frame-ancestors 'none'"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cache-Control", "no-store"}});
  server.set_pre_routing_handler([&](const httplib::Request &request, httplib::Response &response) {
    if (isOwnRequest(request, portText))
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    response.set_content("the request comes from another page or names another host\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  constexpr std::size_t largestRequest = 4 << 20;
  server.set_payload_max_length(largestRequest);
  addFiles(server);
  addQuestions(server, options, compilations);
  SignalThread signals(server);
  options.started("http://" + std::string(address) + ":" + portText + "/");
  server.listen_after_bind();
}

#include "explorer/Server.h"

#include "base/Json.h"
#include "explorer/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <httplib.h>
#include <map>
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

/// What the object lacks stays as it is in `question`.
static void read(const Object &object, CompileQuestion &question) {
  for (auto [name, member] : {std::pair("source", &question.source), std::pair("kernel", &question.kernel),
                              std::pair("signature", &question.signature), std::pair("target", &question.target)})
    if (std::optional<llvm::StringRef> given = object.getString(name))
      *member = given->str();
  for (auto [name, member] : {std::pair("num_warps", &question.numWarps), std::pair("num_stages", &question.numStages)})
    if (std::optional<int64_t> given = object.getInteger(name))
      *member = int(std::clamp<int64_t>(*given, 1, 64));
  question.isQuick = object.getBoolean("quick").value_or(false);
}

static std::string textOf(const Object &object, llvm::StringRef name) {
  return object.getString(name).value_or("").str();
}

namespace {

/// One compilation or simulation at a time. A new question of a page abandons the one that it asked before; questions
/// of several pages wait for each other.
class Questions {
public:
  using Answer = llvm::function_ref<Object(const std::atomic<bool> &isAbandoned)>;

  std::string answer(const std::string &page, Answer answer) {
    auto isAbandoned = std::make_shared<std::atomic<bool>>(false);
    {
      std::lock_guard lock(latestMutex);
      abandonLatest(page);
      latest[page] = isAbandoned;
    }
    std::string text = print(Object{{"abandoned", true}});
    {
      std::lock_guard lock(workMutex);
      if (!isAbandoned->load())
        text = print(answer(*isAbandoned));
    }
    std::lock_guard lock(latestMutex);
    if (auto found = latest.find(page); found != latest.end() && found->second == isAbandoned)
      latest.erase(found);
    return text;
  }

  void cancel(const std::string &page) {
    std::lock_guard lock(latestMutex);
    abandonLatest(page);
  }

private:
  void abandonLatest(const std::string &page) {
    if (auto found = latest.find(page); found != latest.end())
      found->second->store(true);
  }

  std::mutex latestMutex, workMutex;
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> latest; ///< by page
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

using Respond = std::function<std::string(const Object &question)>;

/// Answers objects of JSON that are posted there.
static void addQuestion(httplib::Server &server, const char *path, Respond respond) {
  server.Post(path, [respond = std::move(respond)](const httplib::Request &request, httplib::Response &response) {
    llvm::Expected<Value> parsed = base::parseJson(request.body);
    const Object *object = parsed ? parsed->getAsObject() : nullptr;
    llvm::consumeError(parsed.takeError());
    if (!object)
      response.status = 400;
    response.set_content(object ? respond(*object) : R"({"error": {"text": "the request is not an object of JSON"}})",
                         "application/json");
  });
}

/// A page's simulation and its compilation do not abandon each other.
static std::string simulationOf(const std::string &page) { return page + " simulation"; }

static void addQuestions(httplib::Server &server, const ServerOptions &options, Questions &questions) {
  server.Get("/question", [&](const httplib::Request &, httplib::Response &response) {
    Object first = toJson(options.first);
    first["grid"] = options.grid;
    first["arguments"] = options.arguments;
    response.set_content(print(std::move(first)), "application/json");
  });
  addQuestion(server, "/compile", [&](const Object &asked) {
    CompileQuestion question = options.first;
    read(asked, question);
    return questions.answer(textOf(asked, "page"), [&](const std::atomic<bool> &isAbandoned) {
      return options.compile(question, isAbandoned);
    });
  });
  addQuestion(server, "/simulate", [&](const Object &asked) {
    SimulationQuestion question{options.first, textOf(asked, "grid"), textOf(asked, "arguments")};
    read(asked, question.kernel);
    return questions.answer(simulationOf(textOf(asked, "page")), [&](const std::atomic<bool> &isAbandoned) {
      return options.simulate(question, isAbandoned);
    });
  });
  addQuestion(server, "/cancel", [&](const Object &asked) {
    questions.cancel(textOf(asked, "page"));
    questions.cancel(simulationOf(textOf(asked, "page")));
    return std::string("{}");
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
  Questions questions;
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
  addQuestions(server, options, questions);
  SignalThread signals(server);
  options.started("http://" + std::string(address) + ":" + portText + "/");
  server.listen_after_bind();
}

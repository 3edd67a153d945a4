#include "explorer/Server.h"

#include "base/Json.h"
#include "explorer/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/RandomNumberGenerator.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <future>
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

/// What the object lacks stays as it is in `question`. The result is what is wrong with it, in words; empty: nothing.
static std::string read(const Object &object, CompileQuestion &question) {
  for (auto [name, member] : {std::pair("source", &question.source), std::pair("kernel", &question.kernel),
                              std::pair("signature", &question.signature), std::pair("target", &question.target)})
    if (std::optional<llvm::StringRef> given = object.getString(name))
      *member = given->str();
  question.isQuick = object.getBoolean("quick").value_or(false);
  question.wantsEachText = object.getBoolean("each_text").value_or(true);
  for (auto [name, member] : {std::pair("num_warps", &question.numWarps), std::pair("num_stages", &question.numStages)})
    if (const Value *given = object.get(name)) {
      std::optional<int64_t> integer = given->getAsInteger();
      if (!integer || !llvm::isInt<32>(*integer)) {
        std::string problem;
        llvm::raw_string_ostream(problem) << "the option `" << name << "` is " << *given << "; it must be an integer";
        return problem;
      }
      *member = int(*integer);
    }
  return "";
}

static Object describeProblem(const std::string &text) { return Object{{"error", Object{{"text", text}}}}; }

static std::string textOf(const Object &object, llvm::StringRef name) {
  return object.getString(name).value_or("").str();
}

namespace {

using Flag = std::shared_ptr<std::atomic<bool>>;

/// One compilation or simulation at a time. A new question of a page abandons the one that it asked before; questions
/// of several pages wait for each other.
class Questions {
public:
  using Answer = llvm::function_ref<Object(const std::atomic<bool> &isAbandoned)>;

  /// `isAbandoned` may be set by others, too.
  std::string answer(const std::string &page, const Flag &isAbandoned, Answer answer) {
    {
      std::lock_guard lock(latestMutex);
      abandonLatest(page);
      latest[page] = isAbandoned;
      if (isOver)
        isAbandoned->store(true);
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

  /// Abandons all that is asked, and what will be.
  void end() {
    std::lock_guard lock(latestMutex);
    isOver = true;
    for (auto &[page, isAbandoned] : latest)
      isAbandoned->store(true);
  }

private:
  void abandonLatest(const std::string &page) {
    if (auto found = latest.find(page); found != latest.end())
      found->second->store(true);
  }

  std::mutex latestMutex, workMutex;
  std::map<std::string, Flag> latest; ///< by page
  bool isOver = false;
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

namespace {

/// What other users of this machine do not know, and so cannot send source text here or read it.
class Key {
public:
  explicit Key(const std::string &port)
      : cookie("nereid-" + port) { // Browsers send the cookies of all ports of a host.
    std::array<uint8_t, 24> bytes;
    if (std::error_code error = llvm::getRandomBytes(bytes.data(), bytes.size()))
      throw std::runtime_error("there are no random numbers for the key of the page: " + error.message());
    text = llvm::toHex(bytes, /*LowerCase=*/true);
  }

  /// The address that is printed has the key. The page that it opens gets it as a cookie for its requests.
  std::string address(const std::string &server) const { return server + "/?key=" + text; }
  std::string cookieHeader() const { return cookie + "=" + text + "; HttpOnly; SameSite=Strict; Path=/"; }
  bool isIn(const httplib::Request &request) const {
    if (request.path == "/" && isEqual(request.get_param_value("key")))
      return true;
    llvm::SmallVector<llvm::StringRef> pairs;
    std::string header = request.get_header_value("Cookie");
    llvm::StringRef(header).split(pairs, ';');
    return llvm::any_of(pairs, [&](llvm::StringRef pair) {
      auto [name, value] = pair.trim().split('=');
      return name == cookie && isEqual(value);
    });
  }

private:
  /// Takes as long wherever the texts differ.
  bool isEqual(llvm::StringRef given) const {
    if (given.size() != text.size())
      return false;
    unsigned difference = 0;
    for (auto [left, right] : llvm::zip_equal(given, text))
      difference |= unsigned(left) ^ unsigned(right);
    return difference == 0;
  }

  std::string cookie, text;
};

} // namespace

/// Sends a text whose length is known before. httplib does not compress such a text; any other it would, by Brotli at
/// its slowest level, which between two processes of one machine takes ten times as long as the compilation.
static void setContent(httplib::Response &response, std::string text, const std::string &type) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  auto send = [kept](std::size_t offset, std::size_t length, httplib::DataSink &sink) {
    return sink.write(kept->data() + offset, length);
  };
  response.set_content_provider(kept->size(), type, send);
}

constexpr char jsonType[] = "application/json; charset=utf-8";

/// Sends what `work` returns, which runs on a thread of its own: when the connection is closed, it is abandoned.
static void setAnswer(httplib::Response &response, std::function<std::string(const Flag &isAbandoned)> work) {
  // httplib knows the types to compress by their bare names, which `jsonType` is not.
  response.set_chunked_content_provider(jsonType, [work = std::move(work)](std::size_t, httplib::DataSink &sink) {
    constexpr std::chrono::milliseconds interval(50);
    auto isAbandoned = std::make_shared<std::atomic<bool>>(false);
    std::future<std::string> answer = std::async(std::launch::async, work, isAbandoned);
    bool isOpen = true;
    while (answer.wait_for(interval) != std::future_status::ready)
      if (isOpen && !sink.is_writable()) {
        isOpen = false;
        isAbandoned->store(true);
      }
    std::string text = answer.get();
    if (!isOpen || !sink.write(text.data(), text.size()))
      return false;
    sink.done();
    return true;
  });
}

static void addFiles(httplib::Server &server) {
  for (const PageFile &file : pageFiles())
    server.Get(file.path.str(), [&file](const httplib::Request &, httplib::Response &response) {
      setContent(response, file.text.str(), file.type.str());
    });
}

using Respond = std::function<std::string(const Object &question, const Flag &isAbandoned)>;

/// Answers objects of JSON that are posted there.
static void addQuestion(httplib::Server &server, const char *path, Respond respond) {
  server.Post(path, [respond = std::move(respond)](const httplib::Request &request, httplib::Response &response) {
    llvm::Expected<Value> parsed = base::parseJson(request.body);
    const Object *object = parsed ? parsed->getAsObject() : nullptr;
    llvm::consumeError(parsed.takeError());
    if (!object) {
      response.status = 400;
      return setContent(response, print(describeProblem("the request is not an object of JSON")), jsonType);
    }
    setAnswer(response, [&respond, object = *object](const Flag &isAbandoned) { return respond(object, isAbandoned); });
  });
}

/// A page's simulation, its compilation and what it saves do not abandon each other.
static std::string simulationOf(const std::string &page) { return page + " simulation"; }
static std::string exportOf(const std::string &page) { return page + " export"; }

using AnswerLaunch = std::function<Object(const SimulationQuestion &, const std::atomic<bool> &)>;

/// A question about a launch of the kernel. `nameOf` makes of the page's name that of its questions of this kind.
static void addLaunchQuestion(httplib::Server &server, const char *path, const ServerOptions &options,
                              Questions &questions, std::string (*nameOf)(const std::string &page),
                              const AnswerLaunch &answer) {
  addQuestion(server, path, [&, nameOf](const Object &asked, const Flag &isAbandoned) {
    SimulationQuestion question{options.first, textOf(asked, "grid"), textOf(asked, "arguments")};
    if (std::string problem = read(asked, question.kernel); !problem.empty())
      return print(describeProblem(problem));
    return questions.answer(nameOf(textOf(asked, "page")), isAbandoned,
                            [&](const std::atomic<bool> &flag) { return answer(question, flag); });
  });
}

static void addQuestions(httplib::Server &server, const ServerOptions &options, Questions &questions) {
  server.Get("/question", [&](const httplib::Request &, httplib::Response &response) {
    Object first = toJson(options.first);
    first["grid"] = options.grid;
    first["arguments"] = options.arguments;
    setContent(response, print(std::move(first)), jsonType);
  });
  addQuestion(server, "/compile", [&](const Object &asked, const Flag &isAbandoned) {
    CompileQuestion question = options.first;
    if (std::string problem = read(asked, question); !problem.empty())
      return print(describeProblem(problem));
    return questions.answer(textOf(asked, "page"), isAbandoned,
                            [&](const std::atomic<bool> &flag) { return options.compile(question, flag); });
  });
  addLaunchQuestion(server, "/simulate", options, questions, simulationOf, options.simulate);
  addLaunchQuestion(server, "/export", options, questions, exportOf, options.exportPage);
  addQuestion(server, "/text", [&](const Object &asked, const Flag &) {
    TextQuestion question{textOf(asked, "source"), textOf(asked, "method")};
    question.line = asked.getInteger("line").value_or(0);
    question.character = asked.getInteger("character").value_or(0);
    return print(options.aboutText(question));
  });
  addQuestion(server, "/cancel", [&](const Object &asked, const Flag &) {
    questions.cancel(textOf(asked, "page"));
    questions.cancel(simulationOf(textOf(asked, "page")));
    questions.cancel(exportOf(textOf(asked, "page")));
    return std::string("{}");
  });
}

namespace {

/// Stops the server when a signal arrives. All threads that start later have these signals blocked.
class SignalThread {
public:
  SignalThread(httplib::Server &server, Questions &questions, std::function<void()> endsAtOnce)
      : endsAtOnce(std::move(endsAtOnce)) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread = std::thread([this, &server, &questions] {
      int signal = 0;
      sigwait(&signals, &signal);
      questions.end();
      // A server that does not listen yet would not hear of its end.
      while (!server.is_running() && !isOver)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      server.stop();
      endSoon();
    });
  }
  ~SignalThread() {
    {
      std::lock_guard lock(mutex);
      isOver = true;
    }
    changed.notify_all();
    pthread_kill(thread.native_handle(), SIGINT);
    thread.join();
  }

private:
  /// Ends the process unless the server ends first: it waits for browsers that keep their connections, and for passes
  /// that do not look whether they are abandoned. Nothing of a compilation that is cut short stays but temporary files.
  void endSoon() {
    constexpr std::chrono::milliseconds patience(600);
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, patience, [&] { return isOver.load(); }))
      return;
    if (endsAtOnce)
      endsAtOnce();
    std::_Exit(EXIT_SUCCESS);
  }

  std::function<void()> endsAtOnce;
  sigset_t signals;
  std::mutex mutex;
  std::condition_variable changed;
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
  Key key(portText);
  server.set_default_headers({{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "
                                                          "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                                                          "frame-ancestors 'none'"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cache-Control", "no-store"}});
  server.set_pre_routing_handler([&](const httplib::Request &request, httplib::Response &response) {
    bool isOwn = isOwnRequest(request, portText);
    if (isOwn && key.isIn(request)) {
      if (request.path == "/")
        response.set_header("Set-Cookie", key.cookieHeader());
      return httplib::Server::HandlerResponse::Unhandled;
    }
    response.status = 403;
    setContent(response,
               isOwn ? "the request has no key; open the whole address that the server has printed\n"
                     : "the request comes from another page or names another host\n",
               "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  // A thread for each connection: one that waits for its answer, or that a browser keeps open, must not keep others
  // out.
  constexpr std::size_t mostConnections = 64;
  server.new_task_queue = [] { return new httplib::ThreadPool(mostConnections); };
  constexpr std::size_t largestRequest = 4 << 20;
  server.set_payload_max_length(largestRequest);
  addFiles(server);
  addQuestions(server, options, questions);
  SignalThread signals(server, questions, options.endsAtOnce);
  options.started(key.address("http://" + std::string(address) + ":" + portText));
  server.listen_after_bind();
}

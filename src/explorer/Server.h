// Serves the explorer's page to this machine alone, and compiles again what the page sends.
#pragma once

#include "llvm/Support/JSON.h"

#include <atomic>
#include <functional>
#include <string>

namespace triton::explorer {

/// What the page wants to see compiled.
struct CompileQuestion {
  std::string source; ///< the text of the kernel's file
  std::string kernel, signature, target;
  int numWarps = 4, numStages = 3;
  bool isQuick = false;      ///< without the vendor's assembler, which takes as long as all other stages together
  bool wantsEachText = true; ///< after each pass; otherwise the last of each stage, which is most of the time to print
};

/// A launch on a simulated GPU, whose accesses the page shows.
struct SimulationQuestion {
  CompileQuestion kernel;
  std::string grid;      ///< "4" or "4,2,1"; empty: guessed
  std::string arguments; ///< as `tritonc run` takes them, with spaces between them; empty: guessed
};

/// What an editor asks of a place in the text.
struct TextQuestion {
  std::string source;
  std::string method;              ///< of the language server's protocol: "completion", "hover", "signatureHelp"
  int64_t line = 0, character = 0; ///< as the protocol counts them
};

struct ServerOptions {
  int port = 0; ///< 0: any that is free
  /// The data for a question, as Exploration.h makes it, or {"error": {"text", "line", "column"}}. The page has asked
  /// something else once `isAbandoned` is set. Called by one thread at a time.
  std::function<llvm::json::Object(const CompileQuestion &, const std::atomic<bool> &isAbandoned)> compile;
  /// In the same way {"memory"}, or {"error"}.
  std::function<llvm::json::Object(const SimulationQuestion &, const std::atomic<bool> &isAbandoned)> simulate;
  /// In the same way {"page"}, a page that needs no server; it has the launch if there is one. Or {"error"}.
  std::function<llvm::json::Object(const SimulationQuestion &, const std::atomic<bool> &isAbandoned)> exportPage;
  /// {"result"} of the method, or {"error"}. It is fast, and called by any thread beside the others.
  std::function<llvm::json::Object(const TextQuestion &)> aboutText;
  CompileQuestion first;                               ///< what the page shows when it is opened
  std::string grid, arguments;                         ///< of the first simulation
  std::function<void(const std::string &url)> started; ///< called once requests are answered
  std::function<void()> endsAtOnce; ///< called before the process ends without destructors; may be empty
};

/// Serves until the process gets SIGINT or SIGTERM. Throws std::runtime_error where the port is in use.
void serve(const ServerOptions &options);

} // namespace triton::explorer

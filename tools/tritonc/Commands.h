// The commands of tritonc.
#pragma once

#include "explorer/Server.h"
#include "triton/triton.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tritonc {

class PythonConnection;

/// A command line that cannot be understood; exit code 2.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The command line's description of the kernel and of how to compile it.
struct KernelOptions {
  std::string input;     ///< "file.py:kernel", "file.py" when it has one kernel, or a file of IR
  std::string signature; ///< of the arguments, see parseSignature
  std::string target = "cpu";
  int numWarps = 4, numStages = 3, numCtas = 1;
  bool debug = false;
  bool noFpFusion = false;
  std::string python; ///< is asked for what kernels read and no text shows; empty: the environment's
  std::shared_ptr<PythonConnection> connection = nullptr; ///< to it
  /// What the command line does not give: settings of the kernel may say it.
  bool isTargetOpen = false, areWarpsOpen = false, areStagesOpen = false;
};

struct CompileCommand {
  KernelOptions kernel;
  std::string outputDirectory = ".";
  std::string emit;                             ///< "c", "cpp"; empty: the artifacts of the stages
  std::string grid;                             ///< of C: three expressions
  std::string outName;                          ///< of C; empty: the kernel's name
  std::string namespaceName;                    ///< of C++
  std::vector<std::string> targets, signatures; ///< of C++; the kernel's options have the first ones
};

struct LinkCommand {
  std::vector<std::string> headers;
  std::string output; ///< without extension
};

struct BundleCommand {
  std::vector<std::string> inputs;                  ///< "file.py:kernel" or "name=file.py:kernel"
  std::vector<std::vector<std::string>> signatures; ///< of each input
  std::vector<std::string> targets;
  std::string output;
  int numWarps = 4, numStages = 3;
};

struct ShowCommand {
  KernelOptions kernel;
  std::string stage;
  bool listPasses = false;
};

struct ExplainCommand {
  KernelOptions kernel;
  bool json = false;
  // Of a simulated launch, as of RunCommand, which shows what happens when; empty: there is none.
  std::string grid;
  std::vector<std::string> arguments;
};

struct ClassesCommand {
  KernelOptions kernel;
  std::vector<std::string> arguments; ///< "name=values", what launches may give
  bool json = false, costs = false;
};

struct BuildCommand {
  KernelOptions kernel; ///< the input is a file of classes
  std::vector<std::string> targets;
  std::string output, key; ///< files; without a key nobody signs
  int jobs = 1;
  std::string cluster; ///< the scheduler's address; empty: compiles here
};

struct ExploreCommand {
  KernelOptions kernel;
  int port = 0;                      ///< 0: any that is free
  std::string exportPath;            ///< of a page that needs no server; empty: serve
  std::vector<std::string> beside;   ///< files to compare with
  std::vector<std::string> launches; ///< files of launches to choose from
  // Of a simulated launch, as of RunCommand; empty: guessed in the page, and an exported page has none.
  std::string grid;
  std::vector<std::string> arguments;
  std::function<void(const triton::explorer::ServerOptions &)> serve; ///< empty: pages are only written
};

struct RunCommand {
  KernelOptions kernel;
  std::vector<std::string> arguments; ///< "name=value", see ArgumentValues.h
  std::string grid = "1";
  int threads = 0;
  int repeat = 1;
  std::vector<std::string> print; ///< arrays to print in full
  uint64_t seed = 0;              ///< of random arrays
};

struct BisectCommand {
  RunCommand run;
  std::string reference; ///< the target to compare with; empty: another kind than that of the kernel
  bool bitwise = false;  ///< floats have no tolerance
  int timeLimit = 60;    ///< seconds of a compilation with a launch
  std::string plant;     ///< for tests: the pass behind which a mistake is made
};

struct LayoutCommand {
  std::string input;  ///< the text of an encoding, or a file of TTGIR
  std::string shape;  ///< with an encoding: "64x32xf16"
  std::string value;  ///< with a file: the name of a value, such as "%12"
  std::string access; ///< for shared encodings: the encoding of a tensor that is read or written
  std::string svg;    ///< the picture's file; empty: none
};

struct CacheCommand {
  std::string action;    ///< "list", "size", "prune" or "verify"
  std::string directory; ///< empty: the one of the environment
  std::string limit;     ///< of prune; empty: the one of the environment
};

void compile(const CompileCommand &command);
void link(const LinkCommand &command);
void bundle(const BundleCommand &command);
void show(const ShowCommand &command);
void explain(const ExplainCommand &command);
/// Python lists them, which takes the place of this process.
void listClasses(const ClassesCommand &command);
/// Python does this, too.
void build(const BuildCommand &command);
void explore(const ExploreCommand &command);
void run(const RunCommand &command);
/// Searches the pass that changes the result; the exit code.
int bisect(const BisectCommand &command);
void drawLayout(const LayoutCommand &command);
void inspectCache(const CacheCommand &command);
/// The language server, until its client ends it; the exit code.
int serveLanguage();

} // namespace tritonc

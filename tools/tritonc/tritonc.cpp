// What tritonc understands: its options, and the errors that end it.
#include "CommandLine.h"
#include "Commands.h"
#include "Help.h"
#include "KernelInput.h"
#include "PythonObjects.h"

#include "aot/Errors.h"
#include "base/Diagnostics.h"
#include "base/Version.h"
#include "compiler/Compiler.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

namespace cl = llvm::cl;
using namespace tritonc;

static cl::OptionCategory category("tritonc options");
static cl::SubCommand compileCommand("compile", "compile a kernel and write the artifact of every stage");
static cl::SubCommand linkCommand("link", "join variants of kernels, compiled with --emit=c, into one function");
static cl::SubCommand bundleCommand("bundle", "write one file with kernels for several targets, for programs in C");
static cl::SubCommand showCommand("show", "print one stage of a kernel's compilation, or the list of passes");
static cl::SubCommand explainCommand("explain", "say why a kernel for a GPU is as fast as it is");
static cl::SubCommand buildCommand("build", "write one file with the variants that launches of a program have needed");
static cl::SubCommand classesCommand("classes", "list the variants that launches of a kernel can need");
static cl::SubCommand exploreCommand("explore", "show a kernel through all stages of its compilation, in a browser");
static cl::SubCommand runCommand("run", "run a kernel on arrays made for it, and print times and results");
static cl::SubCommand bisectCommand("bisect", "find the first pass after which a kernel gives something else");
static cl::SubCommand
    layoutCommand("layout", "draw which thread holds which element of a tensor, or where shared memory keeps it");

static cl::SubCommand cacheCommand("cache", "list, measure, prune or verify the kernels that are kept on disk");

static cl::SubCommand lspCommand("lsp", "answer an editor's questions about kernels, on standard input and output");

static cl::opt<std::string> input(cl::Positional, cl::desc("<file.py:kernel | file.ttir>"), cl::cat(category),
                                  cl::sub(compileCommand), cl::sub(showCommand), cl::sub(explainCommand),
                                  cl::sub(exploreCommand), cl::sub(runCommand), cl::sub(bisectCommand),
                                  cl::sub(classesCommand));
static cl::list<std::string>
    signatures("signature", cl::desc("argument types and constants, such as \"*fp32:16,*fp32,i32,BLOCK=1024\""),
               cl::value_desc("list"), cl::cat(category), cl::sub(compileCommand), cl::sub(bundleCommand),
               cl::sub(showCommand), cl::sub(explainCommand), cl::sub(exploreCommand));
static cl::list<std::string>
    targets("target",
            cl::desc("cpu, cpu:<arch> such as cpu:x86-64-v3 or cpu:neoverse-v2, cuda:90, hip:gfx942, or sim:cuda:90"),
            cl::value_desc("target"), cl::CommaSeparated, cl::cat(category), cl::sub(compileCommand),
            cl::sub(bundleCommand), cl::sub(showCommand), cl::sub(explainCommand), cl::sub(exploreCommand),
            cl::sub(runCommand), cl::sub(bisectCommand), cl::sub(classesCommand), cl::sub(buildCommand));
static cl::opt<int> numWarps("num-warps", cl::init(4), cl::desc("warps of a program at most; ignored on the CPU"),
                             cl::cat(category), cl::sub(compileCommand), cl::sub(bundleCommand), cl::sub(showCommand),
                             cl::sub(explainCommand), cl::sub(exploreCommand), cl::sub(runCommand),
                             cl::sub(bisectCommand));
static cl::opt<int> numStages("num-stages", cl::init(3),
                              cl::desc("iterations of a loop that load at once; ignored on the CPU"), cl::cat(category),
                              cl::sub(compileCommand), cl::sub(bundleCommand), cl::sub(showCommand),
                              cl::sub(explainCommand), cl::sub(exploreCommand), cl::sub(runCommand),
                              cl::sub(bisectCommand));
static cl::opt<int> numCtas("num-ctas", cl::init(1),
                            cl::desc("blocks of a cluster that may run a program; ignored on the CPU"),
                            cl::cat(category), cl::sub(compileCommand), cl::sub(showCommand), cl::sub(explainCommand),
                            cl::sub(exploreCommand), cl::sub(runCommand), cl::sub(bisectCommand));
static cl::opt<bool> debugAsserts("debug-asserts", cl::desc("compile device_assert and assert"), cl::cat(category),
                                  cl::sub(compileCommand), cl::sub(showCommand), cl::sub(explainCommand),
                                  cl::sub(exploreCommand), cl::sub(runCommand), cl::sub(bisectCommand));
static cl::opt<bool> noFpFusion("no-fp-fusion", cl::desc("do not contract multiplications and additions"),
                                cl::cat(category), cl::sub(compileCommand), cl::sub(showCommand),
                                cl::sub(explainCommand), cl::sub(exploreCommand), cl::sub(runCommand),
                                cl::sub(bisectCommand));

static cl::opt<std::string> outputDirectory("o", cl::desc("directory for the artifacts"), cl::init("."),
                                            cl::value_desc("dir"), cl::cat(category), cl::sub(compileCommand));
static cl::opt<std::string>
    emit("emit", cl::desc("write only this artifact, such as o or asm, or C or C++ (c, cpp) that holds the kernel"),
         cl::value_desc("artifact|c|cpp"), cl::cat(category), cl::sub(compileCommand));
static cl::opt<std::string> cGrid("grid", cl::desc("C: three expressions over the kernel's parameters"),
                                  cl::value_desc("x,y,z"), cl::cat(category), cl::sub(compileCommand));
static cl::opt<std::string> outName("out-name", cl::desc("C: the name that functions and files begin with"),
                                    cl::value_desc("name"), cl::cat(category), cl::sub(compileCommand));
static cl::opt<std::string> namespaceName("namespace", cl::desc("C++: the namespace, such as app::kernels"),
                                          cl::init("kernels"), cl::value_desc("name"), cl::cat(category),
                                          cl::sub(compileCommand));

static cl::list<std::string> headers(cl::Positional, cl::desc("<header>..."), cl::cat(category), cl::sub(linkCommand));
static cl::opt<std::string> linkedOutput("o", cl::desc("the files to write, without extension"), cl::value_desc("file"),
                                         cl::cat(category), cl::sub(linkCommand));

static cl::list<std::string> bundled(cl::Positional, cl::desc("<[name=]file.py:kernel> --signature <list>..."),
                                     cl::cat(category), cl::sub(bundleCommand));
static cl::opt<std::string> bundleOutput("o", cl::desc("the bundle to write"), cl::value_desc("file"),
                                         cl::cat(category), cl::sub(bundleCommand), cl::sub(buildCommand));

static cl::opt<std::string> records(cl::Positional, cl::desc("<classes.jsonl>"), cl::cat(category),
                                    cl::sub(buildCommand));
static cl::opt<std::string> signingKey("key", cl::desc("sign the bundle by the bytes of this file"),
                                       cl::value_desc("file"), cl::cat(category), cl::sub(buildCommand));
static cl::opt<std::string> cluster("cluster", cl::desc("the scheduler of a Dask cluster that compiles a bundle"),
                                    cl::value_desc("host:port"), cl::cat(category), cl::sub(buildCommand));
static cl::opt<int> jobs("jobs", cl::desc("threads that compile"), cl::init(1), cl::value_desc("int"),
                         cl::cat(category), cl::sub(buildCommand));

static cl::opt<std::string> stage("stage",
                                  cl::desc("source, ttir, ttcir, ttgir, llir, asm, o, ptx, cubin, amdgcn or hsaco"),
                                  cl::init("ttir"), cl::cat(category), cl::sub(showCommand));
static cl::opt<bool> passes("passes", cl::desc("list the stages and their passes in order"), cl::cat(category),
                            cl::sub(showCommand));

static cl::opt<bool> json("json", cl::desc("print JSON"), cl::cat(category), cl::sub(explainCommand),
                          cl::sub(classesCommand));

static cl::list<std::string> declared("arg", cl::desc("n=1..65536, x=*fp32:16, BLOCK=64,128 or batch=any, ..."),
                                      cl::value_desc("name=values"), cl::cat(category), cl::sub(classesCommand));

static cl::opt<bool> costs("costs", cl::desc("say what do_not_specialize costs in speed, by clocks of the simulator"),
                           cl::cat(category), cl::sub(classesCommand));

static cl::opt<int> port("port", cl::desc("of this machine; 0: one that is free"), cl::init(0), cl::cat(category),
                         cl::sub(exploreCommand));
static cl::opt<std::string> exportPath("export", cl::desc("write a page that needs no server, and end"),
                                       cl::value_desc("file.html"), cl::cat(category), cl::sub(exploreCommand));
static cl::list<std::string> beside("beside", cl::desc("show this text beside the kernel's, such as another PTX"),
                                    cl::value_desc("file"), cl::cat(category), cl::sub(exploreCommand));
static cl::list<std::string> launches("launch",
                                      cl::desc("offer this launch in the page, a file that TRITON_RECORD has written"),
                                      cl::value_desc("file"), cl::cat(category), cl::sub(exploreCommand));

static cl::list<std::string> arguments("arg", cl::desc("n=1024, x=rand:f32[1024], ACTIVATION='\"relu\"', ..."),
                                       cl::value_desc("name=value"), cl::cat(category), cl::sub(runCommand),
                                       cl::sub(bisectCommand), cl::sub(exploreCommand), cl::sub(explainCommand));
static cl::opt<std::string> grid("grid", cl::desc("one to three extents"), cl::init("1"), cl::value_desc("x,y,z"),
                                 cl::cat(category), cl::sub(runCommand), cl::sub(bisectCommand),
                                 cl::sub(exploreCommand), cl::sub(explainCommand));
static cl::opt<int> threads("threads", cl::desc("CPU threads; 0: one for each processor"), cl::init(0),
                            cl::cat(category), cl::sub(runCommand), cl::sub(bisectCommand));
static cl::opt<int> repeat("repeat", cl::desc("launches; the best time of all but the first is printed"), cl::init(1),
                           cl::cat(category), cl::sub(runCommand));
static cl::list<std::string> print("print", cl::desc("print this array in full"), cl::value_desc("name"),
                                   cl::cat(category), cl::sub(runCommand));

static cl::opt<std::string> python("python", cl::value_desc("program"), cl::cat(category), cl::sub(exploreCommand),
                                   cl::desc("is asked for values that kernels read and only Python can compute; by "
                                            "default that of the environment, or python3"),
                                   cl::sub(explainCommand), cl::sub(classesCommand), cl::sub(buildCommand));
static cl::opt<int> pythonSocket("python-socket", cl::desc("the program at the other end of this socket is asked"),
                                 cl::init(-1), cl::Hidden, cl::cat(category), cl::sub(exploreCommand));

static cl::opt<uint64_t> seed("seed", cl::desc("of `rand` and `randn`: another seed gives other arrays"), cl::init(0),
                              cl::value_desc("int"), cl::cat(category), cl::sub(runCommand), cl::sub(bisectCommand));

static cl::opt<std::string> reference("reference",
                                      cl::desc("the target to compare with; by default the CPU, or for it sim:cuda:80"),
                                      cl::value_desc("target"), cl::cat(category), cl::sub(bisectCommand));
static cl::opt<bool> bitwise("bitwise", cl::desc("every bit of a float counts"), cl::cat(category),
                             cl::sub(bisectCommand));
static cl::opt<int> timeLimit("time-limit", cl::desc("seconds of each compilation with its launch"), cl::init(60),
                              cl::value_desc("seconds"), cl::cat(category), cl::sub(bisectCommand));
static cl::opt<std::string> plant("plant", cl::desc("for tests: make a mistake after each run of this pass"),
                                  cl::value_desc("pass"), cl::Hidden, cl::cat(category), cl::sub(bisectCommand));

static cl::opt<std::string> layoutInput(cl::Positional, cl::desc("<'#ttg.blocked<{...}>' | file.ttgir>"),
                                        cl::cat(category), cl::sub(layoutCommand));
static cl::opt<std::string> shape("shape", cl::desc("shape and element type that the encoding is drawn for"),
                                  cl::value_desc("64x32xf16"), cl::cat(category), cl::sub(layoutCommand));
static cl::opt<std::string> value("value", cl::desc("the value of the file to draw; without it they are listed"),
                                  cl::value_desc("%name"), cl::cat(category), cl::sub(layoutCommand));
static cl::opt<std::string> accessedBy("access",
                                       cl::desc("shared encodings: count the bank conflicts of a tensor laid out so"),
                                       cl::value_desc("encoding"), cl::cat(category), cl::sub(layoutCommand));
static cl::opt<std::string> svg("svg", cl::desc("write the picture to this file"), cl::value_desc("file"),
                                cl::cat(category), cl::sub(layoutCommand));

static cl::opt<std::string> cacheAction(cl::Positional, cl::desc("<list | size | prune | verify>"), cl::cat(category),
                                        cl::sub(cacheCommand));
static cl::opt<std::string> cacheDirectory("directory", cl::desc("the cache; by default that of the environment"),
                                           cl::value_desc("dir"), cl::cat(category), cl::sub(cacheCommand));
static cl::opt<std::string> cacheLimit("limit", cl::desc("prune: the size to stay within, as in 500M or 16G"),
                                       cl::value_desc("size"), cl::cat(category), cl::sub(cacheCommand));

static cl::opt<bool> isStandardIo("stdio",
                                  cl::desc("no effect: editors say so of servers on standard input and output"),
                                  cl::cat(category), cl::sub(lspCommand));

/// Of whoever runs the command line.
static const Host *host;

/// To the Python that knows Gluon's objects, and the names of the kernel's file. Nothing is started before a question.
static std::shared_ptr<PythonConnection> connectionOf(const std::string &answering) {
  static std::shared_ptr<PythonConnection> connection;
  if (!connection) {
    KernelOptions options;
    options.python = answering;
    std::string file = input.empty() ? "" : splitInput(input).file;
    connection = std::make_shared<PythonConnection>(file, PythonNames::programFor(options), pythonSocket);
    useGluonOf(connection);
  }
  return connection;
}

static KernelOptions kernelOptions() {
  if (!compileCommand && (targets.size() > 1 || signatures.size() > 1))
    throw UsageError("--target and --signature are given several times; give one of each");
  std::string signature = signatures.empty() ? "" : signatures.front();
  std::string target = targets.empty() ? "cpu" : targets.front();
  const std::string &answering = python.empty() ? host->python : python;
  return {input,
          signature,
          target,
          numWarps,
          numStages,
          numCtas,
          debugAsserts,
          noFpFusion,
          answering,
          connectionOf(answering),
          targets.empty(),
          numWarps.getNumOccurrences() == 0,
          numStages.getNumOccurrences() == 0};
}

/// For a command that compiles: with the kernel's settings.
static KernelOptions compiledKernel() {
  KernelOptions options = kernelOptions();
  return options.input.empty() ? options : withSettings(std::move(options));
}

/// The page guesses what neither the command line nor the settings say of a signature.
static KernelOptions exploredKernel() {
  KernelOptions options = compiledKernel();
  options.signature = kernelOptions().signature;
  return options;
}

static CompileCommand compileArguments() {
  KernelOptions kernel = compiledKernel();
  std::vector<std::string> all = targets, variants = signatures;
  if (all.empty())
    all.push_back(kernel.target);
  if (variants.empty() && !kernel.signature.empty())
    variants.push_back(kernel.signature);
  return {std::move(kernel), outputDirectory, emit, cGrid, outName, namespaceName, std::move(all), std::move(variants)};
}

/// Each signature belongs to the kernel before it on the command line.
static BundleCommand bundleArguments() {
  connectionOf(host->python);
  BundleCommand command{bundled, {}, targets, bundleOutput, numWarps, numStages};
  command.signatures.resize(bundled.size());
  for (unsigned i = 0; i < signatures.size(); ++i) {
    unsigned kernel = 0;
    while (kernel < bundled.size() && bundled.getPosition(kernel) < signatures.getPosition(i))
      ++kernel;
    if (kernel == 0)
      throw UsageError("--signature `" + signatures[i] + "` comes before all kernels; write it after its own");
    command.signatures[kernel - 1].push_back(signatures[i]);
  }
  return command;
}

static BuildCommand buildArguments() {
  KernelOptions kernel;
  kernel.input = records;
  kernel.python = python.empty() ? host->python : python;
  return {std::move(kernel), targets, bundleOutput, signingKey, jobs, cluster};
}

static RunCommand runArguments() {
  if (threads < 0)
    throw UsageError("--threads " + std::to_string(threads) + ": it must be 0, for one on each processor, or more");
  if (repeat < 1)
    throw UsageError("--repeat " + std::to_string(repeat) + ": a kernel is launched at least once");
  KernelOptions kernel = kernelOptions();
  kernel.isTargetOpen = false; // where it runs is a question of the machine and not of the kernel
  if (!kernel.input.empty())
    kernel = withSettings(std::move(kernel));
  return {std::move(kernel), arguments, grid, threads, repeat, print, seed};
}

static void dispatch() {
  if (compileCommand)
    compile(compileArguments());
  else if (bundleCommand)
    bundle(bundleArguments());
  else if (linkCommand)
    link({headers, linkedOutput});
  else if (showCommand)
    show({compiledKernel(), stage, passes});
  else if (explainCommand)
    explain({compiledKernel(), json, grid.getNumOccurrences() ? grid : std::string(), arguments});
  else if (buildCommand)
    build(buildArguments());
  else if (classesCommand)
    listClasses({kernelOptions(), declared, json, costs});
  else if (exploreCommand)
    explore({exploredKernel(), port, exportPath, beside, launches, grid.getNumOccurrences() ? grid : std::string(),
             arguments, host->serve});
  else if (runCommand)
    run(runArguments());
  else if (layoutCommand)
    drawLayout({layoutInput, shape, value, accessedBy, svg});
  else if (cacheCommand)
    inspectCache({cacheAction, cacheDirectory, cacheLimit});
  else
    throw UsageError(
        "name a command: compile, bundle, build, link, show, explain, classes, explore, run, bisect, layout, cache "
        "or lsp; `tritonc --help` explains them");
}

static int fail(int code, llvm::StringRef text) {
  llvm::errs() << text << (text.ends_with("\n") ? "" : "\n");
  return code;
}

/// Without a place in a kernel, a file cannot be read or does not have the kernel that the command line names.
static int codeOf(const triton::base::DiagnosticError &error) { return error.first().source ? 1 : 2; }

/// What the command line names is the command line's error; the rest is the kernel's.
static int codeOf(const triton::Error &error) {
  switch (error.kind()) {
  case triton::Error::Kind::Internal:
    return 3;
  case triton::Error::Kind::Launch:
    return 2;
  case triton::Error::Kind::Source: // as above
    return error.line() == 0 ? 2 : 1;
  case triton::Error::Kind::Compile:
  case triton::Error::Kind::Run:
    return 1;
  }
  llvm_unreachable("every kind returns");
}

/// Standard output may be a full disk.
static int endOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return 0;
  llvm::outs().clear_error();
  return fail(2, "tritonc: cannot write standard output: " + error.message());
}

static void nameDefault(cl::Option &option, const llvm::Twine &value) {
  static std::deque<std::string> descriptions; // the options refer to them
  option.setDescription(descriptions.emplace_back((option.HelpStr + " (default: " + value + ")").str()));
}

/// In the help of the command.
static void nameDefaults(const std::string &command) {
  for (cl::opt<int> *option : {&numWarps, &numStages, &numCtas, &port, &threads, &repeat, &timeLimit, &jobs})
    nameDefault(*option, llvm::Twine(option->getValue()));
  for (cl::opt<std::string> *option : {&outputDirectory, &namespaceName, &stage})
    nameDefault(*option, option->getValue());
  nameDefault(seed, llvm::Twine(seed.getValue()));
  if (command != "explore") // which guesses one
    nameDefault(grid, grid.getValue());
  if (command != "bundle" && command != "build" && command != "explain") // which need one
    nameDefault(targets, "cpu");
}

int tritonc::runCommandLine(int argc, const char *const *argv, const Host &given) {
  host = &given;
  for (cl::SubCommand *command :
       {&compileCommand, &linkCommand, &bundleCommand, &showCommand, &explainCommand, &buildCommand, &classesCommand,
        &exploreCommand, &runCommand, &bisectCommand, &layoutCommand, &cacheCommand, &lspCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "tritonc " << triton::base::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
  std::string command = argc > 1 && argv[1][0] != '-' ? argv[1] : "", examples = exampleSection(command);
  nameDefaults(command);
  cl::extrahelp afterOptions(examples);
  std::string usage;
  llvm::raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(argc, argv, "compiles, runs and inspects kernels\n", &usageStream))
    return fail(2, usage);
  try {
    if (lspCommand) {
      connectionOf(host->python);
      return serveLanguage();
    }
    int code = 0;
    if (bisectCommand)
      code = bisect({runArguments(), reference, bitwise, timeLimit, plant});
    else
      dispatch();
    int written = endOutput();
    return written ? written : code;
  } catch (const UsageError &error) {
    return fail(2, std::string("tritonc: ") + error.what());
  } catch (const triton::Error &error) {
    return fail(codeOf(error), error.what());
  } catch (const triton::aot::FileError &error) {
    return fail(2, std::string("tritonc: ") + error.what());
  } catch (const triton::aot::KernelError &error) {
    return fail(1, std::string("error: ") + error.what());
  } catch (const triton::aot::Error &error) {
    return fail(2, std::string("error: ") + error.what());
  } catch (const triton::base::DiagnosticError &error) {
    return fail(codeOf(error), error.str());
  } catch (const triton::base::CompilationError &error) {
    return fail(1, error.what());
  } catch (const triton::base::LaunchError &error) {
    return fail(1, std::string("error: ") + error.what());
  } catch (const triton::base::InternalError &error) {
    return fail(3, error.what());
  } catch (const std::bad_alloc &) {
    return fail(1, "error: there is not enough memory");
  } catch (const std::exception &error) { // of the system, such as for threads
    return fail(1, std::string("error: ") + error.what());
  }
}

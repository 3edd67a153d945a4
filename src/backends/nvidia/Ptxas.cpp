#include "backends/nvidia/Ptxas.h"

#include "backends/gpu/library/BitcodeLibrary.h"
#include "backends/nvidia/Toolkit.h"
#include "base/PassRunner.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

namespace triton::nvidia {

namespace fs = llvm::sys::fs;
using base::ToolchainError;

namespace {

/// What the program prints; empty when it cannot be run.
std::string outputOf(llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallString<128> log;
  if (fs::createTemporaryFile("triton-ptxas", "log", log))
    return "";
  llvm::FileRemover remover(log);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log.str(), log.str()};
  llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt, redirects);
  auto buffer = llvm::MemoryBuffer::getFile(log);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// 130 of "release 13.0"; 0 when the program does not say.
unsigned releaseOf(const std::string &ptxas) {
  static std::mutex mutex;
  static auto &releases = *new std::map<std::string, unsigned>();
  std::lock_guard lock(mutex);
  auto [it, isNew] = releases.try_emplace(ptxas, 0);
  if (!isNew)
    return it->second;
  std::string text = outputOf({ptxas, "--version"});
  llvm::StringRef rest = llvm::StringRef(text).split("release ").second;
  unsigned major = 0, minor = 0;
  if (!rest.consumeInteger(10, major) && rest.consume_front(".") && !rest.consumeInteger(10, minor))
    it->second = major * 10 + minor;
  return it->second;
}

/// CUDA 10.x reads PTX from 6.3 on, 11.x reads 7.x, 12.x reads 8.x, 13.x reads 9.x. The minor numbers are the same,
/// except that 12.6 has brought no version, so that 12.8 reads 8.7.
PtxVersion ptxVersionOfRelease(unsigned release) {
  if (release == 0)
    return newestPtxVersion;
  if (release < 110)
    return release - 37;
  bool isBehindGap = release >= 126 && release < 130;
  return std::min(release - 40 - unsigned(isBehindGap), newestPtxVersion);
}

/// The first number before `label`: "Used 24 registers", "16 bytes spill stores". Remarks may also contain the word.
int numberBefore(llvm::StringRef log, llvm::StringRef label) {
  for (std::size_t at = log.find(label); at != llvm::StringRef::npos; at = log.find(label, at + 1)) {
    llvm::StringRef before = log.take_front(at).rtrim();
    std::size_t begin = before.find_last_not_of("0123456789");
    int number = 0;
    if (!before.substr(begin + 1).getAsInteger(10, number))
      return number;
  }
  return 0;
}

llvm::Error fail(const std::string &kernel, llvm::Error cause) {
  return llvm::make_error<ToolchainError>("kernel `" + kernel +
                                          "` cannot be assembled: " + llvm::toString(std::move(cause)));
}

llvm::Error refuse(const std::string &kernel, const AssemblyOptions &options, const AssemblerProcess &process,
                   const AssemblerProcess::Result &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "ptxas cannot assemble kernel `" << kernel << "` for " << options.architecture.processor << " (";
  if (result.code < 0)
    stream << "it crashed";
  else
    stream << "exit code " << result.code;
  stream << ")\n"
         << llvm::StringRef(result.log).rtrim() << "\n  the PTX is kept in " << process.inputPath()
         << "\n  reproduce: " << process.commandLine();
  return llvm::make_error<ToolchainError>(text);
}

std::unique_ptr<AssemblerProcess> makeProcess(const std::string &ptxas, const std::string &kernel,
                                              const AssemblyOptions &options, base::ProcessLimit *limit) {
  std::vector<std::string> command = {ptxas, "-v", "--gpu-name=" + options.architecture.processor};
  if (options.lineInfo)
    command.emplace_back("-lineinfo");
  if (!options.fuseMultiplyAdd)
    command.emplace_back("--fmad=false");
  if (!options.optimize)
    command.emplace_back("-O0");
  llvm::append_range(command, options.extraFlags);
  return std::make_unique<AssemblerProcess>(std::move(command), kernel, limit);
}

/// The text with a time and a size for each file that it names without them. Else ptxas looks them up, so that the
/// machine code would depend on when a source file was written.
std::string withFileTimes(llvm::StringRef ptx) {
  std::string text;
  text.reserve(ptx.size() + 64);
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    text += line;
    if (line.ltrim().starts_with(".file\t") && line.ends_with("\""))
      text += ", 1, 1";
    if (line.size() < ptx.size())
      text += '\n';
    ptx = rest;
  }
  return text;
}

/// Runs ptxas once.
llvm::Expected<Assembly> assembleOnce(AssemblerProcess &process, llvm::StringRef ptx, const std::string &kernel,
                                      const AssemblyOptions &options) {
  llvm::Expected<AssemblerProcess::Result> result = process.run(withFileTimes(ptx));
  if (!result)
    return fail(kernel, result.takeError());
  if (options.printLog)
    llvm::errs() << result->log;
  if (result->code != 0) {
    process.keepInput();
    return refuse(kernel, options, process, *result);
  }
  return Assembly{std::move(result->cubin), numberBefore(result->log, "registers"),
                  numberBefore(result->log, "bytes spill stores"), numberBefore(result->log, "bytes stack frame")};
}

/// Whether ptxas gave up on a kernel that needs many more registers than there are: then it takes few, and keeps
/// everything else in local memory.
bool gaveUpOnRegisters(const Assembly &assembly) {
  constexpr int registersThen = 32; // of ptxas 12 and 13, for sm_80 to sm_100
  return assembly.spillBytes > 0 && assembly.registers <= registersThen;
}

/// The text with the remark that so many programs shall fit on a multiprocessor. With one, ptxas does not give up.
/// Empty where the text limits registers already, or is not as this compiler writes it. Lines keep their numbers.
std::string withPrograms(llvm::StringRef ptx, unsigned programs) {
  constexpr llvm::StringLiteral threads = "\n.reqntid ";
  std::size_t line = ptx.find(threads);
  if (line == llvm::StringRef::npos || ptx.contains(".minnctapersm ") || ptx.contains("\n.maxnreg "))
    return "";
  std::size_t end = ptx.find('\n', line + 1);
  return (ptx.take_front(end) + " .minnctapersm " + llvm::Twine(programs) + ptx.substr(end)).str();
}

/// What may give better code than the first result.
struct SecondTry {
  std::string text;                ///< empty: nothing
  analysis::ProgramsInReach reach; ///< none: as many programs run as after the first try
};

SecondTry findSecondTry(const Assembly &first, llvm::StringRef ptx, const AssemblyOptions &options,
                        FindProgramsInReach findProgramsInReach) {
  if (!options.optimize)
    return {};
  if (gaveUpOnRegisters(first))
    return {withPrograms(ptx, 1), {}};
  // Flags may limit registers, too.
  if (!findProgramsInReach || !options.extraFlags.empty())
    return {};
  analysis::ProgramsInReach found = findProgramsInReach(unsigned(first.registers));
  return found.programs ? SecondTry{withPrograms(ptx, found.programs), found} : SecondTry();
}

/// Whether the `result` of a second try is to be taken.
bool isBetter(const Assembly &result, const SecondTry &second, const Assembly &first) {
  if (second.reach.programs == 0)
    return result.spillBytes < first.spillBytes;
  return result.spillBytes <= first.spillBytes + second.reach.spillBytes;
}

} // namespace

PtxVersion supportedPtxVersion(const Architecture &architecture) {
  llvm::Expected<std::string> ptxas = findPtxas(architecture.capability);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    return newestPtxVersion;
  }
  return ptxVersionOfRelease(releaseOf(*ptxas));
}

std::string ptxasFingerprint(const Architecture &architecture) {
  llvm::Expected<std::string> ptxas = findPtxas(architecture.capability);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    return "";
  }
  return backends::fileFingerprint(*ptxas);
}

std::unique_ptr<AssemblerProcess> startAssembler(const std::string &kernel, const AssemblyOptions &options,
                                                 base::ProcessLimit *limit) {
  llvm::Expected<std::string> ptxas = findPtxas(options.architecture.capability);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError()); // `assemble` reports it if the kernel gets that far
    return nullptr;
  }
  std::unique_ptr<AssemblerProcess> process = makeProcess(*ptxas, kernel, options, limit);
  process->startAhead();
  return process;
}

llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const std::string &kernel, const AssemblyOptions &options,
                                  AssemblerProcess *started, FindProgramsInReach findProgramsInReach) {
  llvm::Expected<std::string> ptxas = findPtxas(options.architecture.capability);
  if (!ptxas && !started)
    return fail(kernel, ptxas.takeError());
  std::unique_ptr<AssemblerProcess> made;
  if (!started)
    made = makeProcess(*ptxas, kernel, options, /*limit=*/nullptr);
  // Texts this long take ptxas many seconds, and it has given up on all that were seen: once is enough.
  constexpr std::size_t longText = 10000; // lines
  std::string text = options.optimize && ptx.count('\n') > longText ? withPrograms(ptx, 1) : "";
  if (!text.empty())
    ptx = text;
  llvm::Expected<Assembly> assembly = assembleOnce(started ? *started : *made, ptx, kernel, options);
  SecondTry second = assembly ? findSecondTry(*assembly, ptx, options, findProgramsInReach) : SecondTry();
  if (second.text.empty() || !ptxas) {
    llvm::consumeError(ptxas.takeError());
    return assembly;
  }
  std::unique_ptr<AssemblerProcess> process = makeProcess(*ptxas, kernel, options, /*limit=*/nullptr);
  llvm::Expected<Assembly> other = assembleOnce(*process, second.text, kernel, options);
  if (!other)
    llvm::consumeError(other.takeError()); // The first result is right.
  else if (isBetter(*other, second, *assembly))
    return other;
  return assembly;
}

std::optional<base::StageMessage> findPtxasError(const std::string &refusal) {
  static const llvm::Regex error("kernel\\.ptx, line ([0-9]+); (error|fatal) *: ([^\n]*)");
  llvm::SmallVector<llvm::StringRef> parts;
  if (!error.match(refusal, &parts))
    return std::nullopt;
  base::StageMessage message{("ptxas refuses this PTX: " + parts[3]).str(), {}, {}, {}};
  parts[1].getAsInteger(10, message.place.line);
  return message;
}

} // namespace triton::nvidia

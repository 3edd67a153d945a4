// In place of parts of LLVM that its libraries name and that nothing here runs.
#include "llvm/ADT/SmallVector.h"
#include "llvm/Plugins/PassPlugin.h"

#include <memory>

// Polly, an optimizer of loop nests, which takes 2 MB of every program.
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "nothing", "", [](llvm::PassBuilder &) {}};
}

// lld's optimization at link time. It makes every pass of LLVM a part of the program, 9 MB, and kernels come to lld as
// objects. lld asks for what was compiled in any case. The header is not installed; these declarations say of it
// what lld's other files were compiled with, for LLVM 22.
namespace lld::elf {
struct Ctx;
class BitcodeFile;

class InputFile {
public:
  virtual ~InputFile();
};

class BitcodeCompiler {
public:
  BitcodeCompiler(Ctx &context);
  ~BitcodeCompiler();
  void add(BitcodeFile &file);
  llvm::SmallVector<std::unique_ptr<InputFile>, 0> compile();
};

BitcodeCompiler::BitcodeCompiler(Ctx &) {}
BitcodeCompiler::~BitcodeCompiler() = default;
void BitcodeCompiler::add(BitcodeFile &) {}
llvm::SmallVector<std::unique_ptr<InputFile>, 0> BitcodeCompiler::compile() { return {}; }
} // namespace lld::elf

// In place of Polly, an optimizer of loop nests that LLVM's linking optimizer names as an extension and that nothing
// here uses. Its library takes 2 MB of every program.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "nothing", "", [](llvm::PassBuilder &) {}};
}

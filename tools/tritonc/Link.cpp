#include "Commands.h"

#include "aot/Link.h"

#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

void tritonc::link(const LinkCommand &command) {
  if (command.headers.empty() || command.output.empty())
    throw UsageError("link needs headers and -o: tritonc link add.*.h -o add");
  for (const std::string &file : triton::aot::linkFiles(command.headers, command.output))
    llvm::outs() << file << '\n';
}

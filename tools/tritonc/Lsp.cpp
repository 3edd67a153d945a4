// tritonc lsp: the language server on standard input and output.
#include "Commands.h"

#include "language_server/Server.h"

#include "llvm/Support/raw_ostream.h"

int tritonc::serveLanguage() { return triton::language_server::serve(stdin, llvm::outs()); }

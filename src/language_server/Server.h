// The language server: answers the messages of one client.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace triton::language_server {

/// Reads messages until the client ends the session or the input. The exit code is 0 if the client asked to shut down
/// before, as the protocol says, else 1.
int serve(std::FILE *input, llvm::raw_ostream &output);

} // namespace triton::language_server

// The ahead-of-time compiler without Python: from a file to C or C++.
#pragma once

#include "aot/Generate.h"

#include "base/Target.h"

namespace triton::aot {

/// Reads a target as Triton's tools write it: `cuda:90:32`, `hip:gfx942:64`, `cpu`, `cpu:x86-64-v3`. The part behind
/// the second colon, the lanes of a warp, may be missing. The architecture of a processor goes to `arch`. Throws Error.
base::Target readTarget(const std::string &text, std::string &arch);

struct FileRequest {
  std::string path;
  std::string target;
  std::string directory; ///< of the files that are written
  Request kernel;        ///< without the parameters; without a kernel's name when the file has one kernel
};

/// Compiles the kernel and writes its files, whose paths are returned. Throws Error, DiagnosticError, CompilationError
/// or InternalError.
std::vector<std::string> compileFile(const FileRequest &request);

struct CppFileRequest {
  std::string path;
  std::vector<std::string> targets;    ///< at least one
  std::vector<std::string> signatures; ///< at least one
  std::string namespaceName;           ///< `a::b`
  std::string directory;
  Request kernel; ///< without parameters and signature
};

/// The same for C++: a header and a source with all signatures for all targets.
std::vector<std::string> compileFileToCpp(const CppFileRequest &request);

} // namespace triton::aot

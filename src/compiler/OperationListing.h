// The operations of a kernel, as lowered from its source, as plain data. It is for other programs that analyze kernels,
// such as PyTorch's compiler, which looks for the arguments that a kernel stores through. Free of MLIR so that bindings
// can include it.
#pragma once

#include "compiler/Compiler.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace triton::compiler {

/// Values, blocks and regions have numbers that are unique in the module.
struct ListedBlock {
  unsigned region = 0;
  std::vector<unsigned> arguments; ///< values
};

struct ListedOperation {
  static constexpr unsigned noBlock = ~0u;

  std::string name;
  std::vector<unsigned> operands, results; ///< values
  std::vector<unsigned> regions;
  unsigned block = noBlock; ///< that the operation stands in
  /// The attributes that are booleans, integers, strings or names of functions, the last as strings.
  std::map<std::string, std::variant<bool, int64_t, std::string>> attributes;
};

struct OperationListing {
  std::string text; ///< of the module
  std::vector<ListedBlock> blocks;
  std::vector<ListedOperation> operations; ///< each operation follows those in its regions
};

/// Lowers the request's function, or reads its text, without running any pass. Throws CompilationError.
OperationListing listOperations(const CompileRequest &request);

} // namespace triton::compiler

// What the profiler's option `profile_scopes` asks kernels to record of their scopes, as text.
//
// Without records, programs add up times. With them, each unit of a program (some of its warps) also has a buffer, in
// which it notes when which scope began and ended.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace triton::compiler {

/// "scopes", and after it separated by commas: "products", "records=<number>", "latest", "warps=<number>",
/// "unit=<number>", ...
struct ScopeOptions {
  bool products = false;           ///< each matrix product is a scope
  unsigned records = 0;            ///< for how many a buffer has room
  bool keepsLatest = false;        ///< of more records, the latest remain; otherwise the first
  unsigned warpsOfUnit = 0;        ///< 0: a program is one unit
  std::vector<unsigned> selection; ///< the units of a program that record; empty: all

  std::string text() const;
};
llvm::Expected<ScopeOptions> parseScopeOptions(llvm::StringRef text);

/// The table that instrumented kernels take: the sum of times and the number of executions of each scope, and then for
/// each unit of each program the number of its records and the records. All numbers have 64 bits.
struct ScopeTable {
  static constexpr unsigned numbersOfScope = 2, numbersOfRecord = 3; ///< the scope, its begin and its end

  unsigned units = 1;             ///< of a program
  unsigned records = 0;           ///< for how many a buffer has room
  std::vector<std::string> paths; ///< of scopes; the names in a path are separated by tabs

  unsigned sums() const { return unsigned(paths.size()) * numbersOfScope; }
  unsigned numbersOfUnit() const { return records == 0 ? 0 : 1 + records * numbersOfRecord; }
  uint64_t numbers(uint64_t programs) const { return sums() + programs * units * numbersOfUnit(); }

  /// The name of the kernel's argument says all this.
  std::string argumentName() const;
  /// Fails for the names of other arguments.
  static bool parse(llvm::StringRef argumentName, ScopeTable &table);
};

} // namespace triton::compiler

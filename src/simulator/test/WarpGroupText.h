// LLVM IR of products of warp groups, as inline assembly.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace triton::simulator {

/// What a product's PTX needs beyond its name.
struct Product {
  std::string form; ///< `m64n8k16.f32.f16.f16`
  unsigned results; ///< registers
  bool aInRegisters;
  std::string flags; ///< `, 1, 1, 0`

  llvm::StringRef type() const { return isFloat() ? "float" : "i32"; }
  bool isFloat() const { return llvm::StringRef(form).contains(".f32."); }
};

/// A call whose results are %d0, %d1, .... It adds to `%<c>0`, ...; the factors are %a0 to %a3 or %da, and %db; %add
/// says whether it adds to anything.
inline std::string productText(const Product &product, llvm::StringRef d, llvm::StringRef c) {
  unsigned count = product.results, next = 2 * count;
  std::string list, results, ties, arguments, extracts;
  std::string structure = llvm::join(llvm::SmallVector<llvm::StringRef>(count, product.type()), ", ");
  for (unsigned i = 0; i < count; ++i) {
    list += llvm::formatv("{0}${1}", i ? ", " : "", i).str();
    results += product.isFloat() ? "=f," : "=r,";
    ties += llvm::formatv("{0},", i).str();
    arguments += llvm::formatv("{0} %{1}{2}, ", product.type(), c, i).str();
    extracts += llvm::formatv("  %{0}{1} = extractvalue {{{2}} %{0}, {1}\n", d, i, structure).str();
  }
  std::string a, constraints;
  if (product.aInRegisters) {
    for (unsigned i = 0; i < 4; ++i) {
      a += llvm::formatv("{0}${1}", i ? ", " : "{", next++).str();
      arguments += llvm::formatv("i32 %a{0}, ", i).str();
      constraints += "r,";
    }
    a += "}";
  } else {
    a = llvm::formatv("${0}", next++).str();
    arguments += "i64 %da, ";
    constraints += "l,";
  }
  return llvm::formatv("  %{0} = call {{{1}} asm sideeffect \"{{ .reg .pred p; setp.ne.b32 p, ${2}, 0; "
                       "wgmma.mma_async.sync.aligned.{3} {{{4}}, {5}, ${6}, p{7}; }\", \"{8}{9}{10}l,r\"({11}i64 %db, "
                       "i32 %add)\n",
                       d, structure, next + 1, product.form, list, a, next, product.flags, results, ties, constraints,
                       arguments)
             .str() +
         extracts;
}

} // namespace triton::simulator

// Makes an ELF object callable in this process.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace triton::cpu {

/// Code mapped into this process; unmapped on destruction.
class LinkedObject {
public:
  virtual ~LinkedObject() = default;
  /// The address of a global function of the object, or null.
  virtual void *find(llvm::StringRef symbol) const = 0;
};

/// Links a copy of `object` (ELF bytes). Undefined symbols resolve to functions of the runtime (RuntimeSymbols.h), then
/// libmvec, then libm and libc. If one of them exists nowhere, the error names it. A debugger sees the code.
/// Thread-safe.
llvm::Expected<std::shared_ptr<LinkedObject>> linkObject(llvm::StringRef object);

/// The address of a function that compiled code may call, as linkObject resolves it; null when it exists nowhere.
void *findExternalSymbol(llvm::StringRef name);
/// The error for a name that exists nowhere.
llvm::Error undefinedSymbol(llvm::StringRef name);

} // namespace triton::cpu

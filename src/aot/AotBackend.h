// What differs between the backends whose kernels are compiled ahead of time.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace triton::aot {

/// A row of the table. Strings are types and names of C unless they say something else.
struct AotBackend {
  std::string name;            ///< as in targets
  std::string deviceKind;      ///< the enumerator of `Device::Kind` in C++
  uint32_t bundleNumber;       ///< TRITON_BUNDLE_CPU, ...
  bool hasCapabilities;        ///< architectures are compute capabilities, times 10
  std::string includes;        ///< lines
  std::string stream;          ///< a type, to be followed by a name
  std::string result;          ///< a type
  std::string pointer;         ///< the type of an address
  std::string readOnlyPointer; ///< the same for memory that the kernel only reads
  std::string success, invalidValue;

  // The driver of a GPU; empty for processors.
  std::string binary{};             ///< the artifact of machine code
  std::string vendor{};             ///< in messages
  std::string module{}, function{}; ///< types
  std::string load{}, find{}, unload{}, launch{};
  std::string describe{};                ///< (code, &text)
  int64_t sharedWithoutOptIn = 0;        ///< bytes of shared memory for which no launch has to ask
  std::string cppCurrent{}, cppLaunch{}; ///< in C++: the variable that sets the current device, and the function
  std::string (*cppRuntime)(bool hasTensorMaps) = nullptr; ///< how a source in C++ loads the driver and code

  bool isGpu() const { return !binary.empty(); }
  /// 90 for "90"; 0 where architectures have other names.
  unsigned capabilityOf(llvm::StringRef architecture) const;
};

/// In the order in which generated sources name them.
llvm::ArrayRef<AotBackend> aotBackends();
/// Null for a backend whose kernels are not compiled ahead of time.
const AotBackend *findAotBackend(llvm::StringRef name);

} // namespace triton::aot

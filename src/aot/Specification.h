// What one call of the ahead-of-time compiler makes: the variant of a kernel that a signature describes, and the names
// that follow from it. The same text gives the same names as Triton's own tool.
#pragma once

#include "frontend/Object.h"

#include <array>
#include <string>
#include <vector>

namespace triton::aot {

/// A parameter as the kernel's text declares it.
struct DeclaredParameter {
  std::string name;
  bool isConstexpr = false;
  bool hasDefault = false;
};

struct Request {
  std::string kernelName;
  std::string outName;   ///< empty: the kernel's name
  std::string signature; ///< one item for each parameter: `TYPE`, `TYPE:16`, `TYPE:1` or a constant
  std::string grid;      ///< three expressions of C over the parameters' names, separated by commas
  int numWarps = 1;
  int numStages = 3;
  int numCtas = 1;
  std::vector<DeclaredParameter> parameters;
};

struct Parameter {
  enum class Passing : uint8_t {
    Runtime,
    One,      ///< its value is 1 in this variant: callers of the linked kernel pass it, the variant does not take it
    Constant, ///< has a value in the signature
    Default,  ///< has no item in the signature; the kernel's default is its value
  };
  std::string name;  ///< in the kernel
  std::string cName; ///< the same, where that is not a word of C or C++
  Passing passing = Passing::Runtime;
  base::ElementType type;       ///< of Runtime and One
  bool divisibleBy16 = false;   ///< of Runtime
  frontend::ObjectRef constant; ///< of One and Constant

  bool isInPrototype() const { return passing == Passing::Runtime; }
  /// Whether callers of the linked kernel pass it.
  bool isInLinkedPrototype() const { return passing == Passing::Runtime || passing == Passing::One; }
};

struct Specification {
  std::string kernelName;
  std::string functionName; ///< of the C function: `<outName>_<hash>_<suffix>`
  std::string outName;
  std::string fileSuffix;          ///< `<hash>_<suffix>`, which stands before the extension of each file
  std::string algorithm;           ///< the values of constants, `num_warps` and `num_stages`: `64x1_warps4xstages3`
  std::string describedConstants;  ///< "BLOCK=64, num_warps=4, num_stages=3"
  std::array<std::string, 3> grid; ///< expressions over the names of C parameters
  std::vector<Parameter> parameters;
  int numWarps = 1;
  int numStages = 3;
  int numCtas = 1;
};

/// Throws Error, which names the argument at fault.
Specification readSpecification(const Request &request);

/// Whether text is an identifier of C.
bool isIdentifier(llvm::StringRef text);

/// A name of Python as one that parameters and functions of C and C++ can have.
std::string cNameOf(llvm::StringRef name);

/// The text of a constant as a part of an identifier.
std::string identifierOf(const frontend::Object &constant);

} // namespace triton::aot

// Launches of a compiled kernel with arguments of the types for which it was compiled. Nothing is specialized here.
#pragma once

#include "ArgumentSpecializer.h"

#include "base/CompiledKernel.h"
#include "compiler/Compiler.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace triton::python {

/// What a launch does with one argument.
struct PlannedArgument {
  runtime::ParameterRule rule; ///< of an argument that exists at run time: its type is the compiled one
  bool isConstant = false;     ///< the kernel was compiled with its value
  bool isDeclared = false;     ///< its parameter is a `tl.constexpr`
  std::optional<std::variant<int64_t, double>> number; ///< that value, where it is a number
  bool isTuple = false;
  std::vector<PlannedArgument> elements;
  std::optional<base::DescriptorType> descriptor; ///< of a tensor descriptor
};

/// How a kernel's arguments become the slots of a launch.
class LaunchPlan {
public:
  LaunchPlan(std::shared_ptr<const base::CompiledKernel> kernel, const std::vector<compiler::Argument> &parameters,
             const std::vector<bool> &declared, int maxThreads);
  /// Makes the plan from what `describe` returned in another process.
  LaunchPlan(std::shared_ptr<const base::CompiledKernel> kernel, nanobind::list described, int maxThreads);

  /// Takes the arguments of all parameters, with or without constants at their end, or of those that are not constants,
  /// or of those that no `tl.constexpr` declares, or the slots, in which the elements of tuples and the parts of
  /// descriptors stand one by one. Where more than one of these has the number of arguments, the values decide. A
  /// number that is given for a constant must be the one that the kernel was compiled with. No stream: the current one.
  /// False with an exception.
  bool launch(const std::array<int32_t, 3> &grid, PyObject *const *arguments, size_t count,
              std::optional<void *> stream) const;
  /// The parameters as Python objects that can be pickled.
  nanobind::list describe() const;

private:
  using Form = std::vector<PlannedArgument>;

  /// Makes `forms` of the parameters.
  void listForms();
  /// Whether so many arguments may be those of the first parameters, with constants left out at the end.
  bool mayBeFirst(size_t count) const;
  /// What becomes of these arguments. Null with an exception.
  const Form *formFor(PyObject *const *arguments, size_t count) const;
  /// The same where several forms have the number of arguments.
  const Form *chooseForm(PyObject *const *arguments, size_t count) const;
  void raiseWrongCount(size_t count) const;

  std::shared_ptr<const base::CompiledKernel> kernel;
  Form parameters;         ///< all of them; empty for a kernel from IR text
  std::vector<Form> forms; ///< other forms of a launch, without those that the parameters' first arguments equal
  size_t leastCount = 0;   ///< of parameters: those up to the last that is not a constant
  LaunchDevice device;
  int maxThreads;
};

/// A Python callable `(grid0, grid1, grid2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook,
/// *arguments)`, the form in which generated host code launches. Null with an exception.
PyObject *makeRunner(std::shared_ptr<const LaunchPlan> plan);

bool registerRunner();

} // namespace triton::python

#include "aot/BundleMaps.h"

#include "aot/Errors.h"

#include "triton/bundle.h"

#include "base/TensorMapNumbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace triton::aot {
namespace {

using base::LaunchExpression;
using base::TensorMapParameter;

int64_t stepNumber(LaunchExpression::Kind kind) {
  switch (kind) {
  case LaunchExpression::Kind::Argument:
    return TRITON_BUNDLE_STEP_ARGUMENT;
  case LaunchExpression::Kind::Constant:
    return TRITON_BUNDLE_STEP_CONSTANT;
  case LaunchExpression::Kind::Add:
    return TRITON_BUNDLE_STEP_ADD;
  case LaunchExpression::Kind::Subtract:
    return TRITON_BUNDLE_STEP_SUBTRACT;
  case LaunchExpression::Kind::Multiply:
    return TRITON_BUNDLE_STEP_MULTIPLY;
  case LaunchExpression::Kind::Divide:
    return TRITON_BUNDLE_STEP_DIVIDE;
  case LaunchExpression::Kind::SignExtend32:
    return TRITON_BUNDLE_STEP_SIGN_EXTEND_32;
  }
  llvm_unreachable("every kind has a number");
}

class Writer {
public:
  explicit Writer(const base::CompiledKernel &kernel) : kernel(kernel) {}

  void write(const TensorMapParameter &map) {
    if (map.shape.size() > TRITON_BUNDLE_MAP_RANK)
      refuse(map, "has more dimensions than a map");
    if (map.fp4Padded)
      refuse(map, "has padded floats of 4 bits, which bundles do not describe");
    int64_t head[TRITON_BUNDLE_WORDS_OF_MAP];
    head[TRITON_BUNDLE_WORD_TYPE] = base::tensorMapType(map);
    head[TRITON_BUNDLE_WORD_RANK] = int64_t(map.shape.size());
    head[TRITON_BUNDLE_WORD_ELEMENT_BYTES] = base::bitWidth(map.element) / 8;
    head[TRITON_BUNDLE_WORD_SWIZZLE] = base::tensorMapSwizzle(map);
    head[TRITON_BUNDLE_WORD_FILL] = map.padsWithNaN;
    llvm::append_range(words, head);
    llvm::append_range(words, map.box);
    write(map, map.base);
    for (const LaunchExpression &extent : map.shape)
      write(map, extent);
    for (const LaunchExpression &stride : map.strides)
      write(map, stride);
  }

  std::vector<int64_t> words;

private:
  [[noreturn]] void refuse(const TensorMapParameter &map, const std::string &problem) const {
    throw KernelError("kernel `" + kernel.name + "` cannot be written into a bundle: the array of `" + map.name + "` " +
                      problem);
  }

  void write(const TensorMapParameter &map, const LaunchExpression &expression) {
    words.push_back(int64_t(expression.steps.size()));
    int64_t depth = 0;
    for (const LaunchExpression::Step &step : expression.steps) {
      bool isArgument = step.kind == LaunchExpression::Kind::Argument;
      depth += isArgument || step.kind == LaunchExpression::Kind::Constant ? 1
               : step.kind == LaunchExpression::Kind::SignExtend32         ? 0
                                                                           : -1;
      if (depth > TRITON_BUNDLE_MAX_DEPTH)
        refuse(map, "is described by an expression that is nested too deeply");
      if (isArgument) {
        const base::RuntimeArgument &argument = kernel.arguments[std::size_t(step.value)];
        if (!argument.type.isPointer() && !base::isInteger(argument.type.scalar))
          refuse(map, "is described by the floating-point argument `" + argument.name + "`");
      }
      words.push_back(stepNumber(step.kind));
      words.push_back(step.value);
    }
  }

  const base::CompiledKernel &kernel;
};

} // namespace

std::vector<int64_t> writeTensorMapWords(const base::CompiledKernel &kernel) {
  Writer writer(kernel);
  for (const TensorMapParameter &map : kernel.results.tensorMaps)
    writer.write(map);
  if (kernel.results.tensorMaps.size() > TRITON_BUNDLE_MAX_MAPS)
    throw KernelError("kernel `" + kernel.name + "` cannot be written into a bundle: it has more than " +
                      std::to_string(TRITON_BUNDLE_MAX_MAPS) + " tensor maps");
  return std::move(writer.words);
}

} // namespace triton::aot

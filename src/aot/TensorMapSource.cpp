#include "aot/TensorMapSource.h"

#include "aot/Errors.h"
#include "aot/Text.h"

#include "base/TensorMapNumbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::aot {
namespace {

using base::LaunchExpression;
using Kind = LaunchExpression::Kind;

// As base::computeTensorMap, but the driver makes the checks that are its own.
constexpr char definitions[] = R"(
/* What is read from an array without elements: zeros and, for those that are padded with NaN, NaNs. */
static const unsigned char $F$_padding_bytes[] = {$PADDING$
};

static int64_t $F$_divide(int64_t left, int64_t right, int *failed) {
  if (right == 0) {
    *failed = 1;
    return 0;
  }
  return right == -1 ? (int64_t)(0 - (uint64_t)left) : left / right;
}

/* Describes an array by the numbers of its dimensions, the contiguous one last. */
static CUresult $F$_encode(CUdeviceptr padding, CUtensorMap *map, CUtensorMapDataType type, int rank, uint64_t address,
                           const int64_t *extents, const int64_t *strides, const uint32_t *box, int element_bytes,
                           CUtensorMapSwizzle swizzle, CUtensorMapFloatOOBfill fill) {
  const int64_t limit = INT64_C(1) << 40;
  cuuint64_t sizes[5], bytes[5];
  cuuint32_t boxes[5];
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  int is_empty = 0, place;
  for (place = 0; place < rank; ++place) {
    is_empty |= extents[place] <= 0;
    sizes[place] = (cuuint64_t)extents[rank - 1 - place];
    boxes[place] = box[rank - 1 - place];
  }
  for (place = 1; place < rank; ++place) {
    const int64_t stride = strides[rank - 1 - place];
    const int matters = !is_empty && sizes[place] != 1;
    if (matters && (stride < 0 || stride >= limit))
      return CUDA_ERROR_INVALID_VALUE;
    bytes[place - 1] = matters ? (cuuint64_t)(stride * element_bytes) : 16;
  }
  if (is_empty) {
    address = padding + (fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 0 : sizeof($F$_padding_bytes) / 2);
    for (place = 0; place < rank; ++place)
      sizes[place] = 1;
  }
  return $DRIVER$cuTensorMapEncodeTiled(map, type, (cuuint32_t)rank, (void *)(uintptr_t)address, sizes, bytes, boxes, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, fill);
}
)";

constexpr char preparing[] = R"(  if (code == CUDA_SUCCESS)
    code = cuMemAlloc(&padding, sizeof($F$_padding_bytes));
  if (code == CUDA_SUCCESS)
    code = cuMemcpyHtoD(padding, $F$_padding_bytes, sizeof($F$_padding_bytes));
  if (code != CUDA_SUCCESS && padding != 0)
    (void)cuMemFree(padding);
)";

constexpr char publishing[] =
    R"(  if (!__atomic_compare_exchange_n(&$F$_padding, &no_padding, padding, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    (void)cuMemFree(padding);
)";

constexpr char unloading[] = R"(  if ($F$_padding != 0)
    $F$_require(cuMemFree($F$_padding));
  $F$_padding = 0;
)";

constexpr char encoding[] = R"(    {
      const int64_t tt_extents[] = {$EXTENTS$};
      const int64_t tt_strides[] = {$STRIDES$};
      const uint32_t tt_box[] = {$BOX$};
      const CUresult tt_code =
          $F$_encode($PADDING$, &tt_maps[$I$], (CUtensorMapDataType)$TYPE$, $RANK$, $ADDRESS$, tt_extents, tt_strides,
                     tt_box, $BYTES$, (CUtensorMapSwizzle)$SWIZZLE$, (CUtensorMapFloatOOBfill)$FILL$);
      if (tt_code != CUDA_SUCCESS || tt_failed)
        return tt_failed ? CUDA_ERROR_INVALID_VALUE : tt_code;
    }
)";

/// Writes expressions as C of the type uint64_t.
class ExpressionWriter {
public:
  ExpressionWriter(const Specification &specification, const base::CompiledKernel &kernel,
                   llvm::ArrayRef<std::string> names)
      : specification(specification), kernel(kernel), names(names) {}

  std::string write(const LaunchExpression &expression) const {
    std::vector<std::string> stack;
    auto pop = [&] {
      std::string top = std::move(stack.back());
      stack.pop_back();
      return top;
    };
    for (const LaunchExpression::Step &step : expression.steps) {
      if (step.kind == Kind::Argument || step.kind == Kind::Constant) {
        stack.push_back(step.kind == Kind::Argument ? argument(std::size_t(step.value))
                                                    : "UINT64_C(" + std::to_string(uint64_t(step.value)) + ")");
        continue;
      }
      std::string right = pop();
      if (step.kind == Kind::SignExtend32)
        stack.push_back("(uint64_t)(int32_t)(uint32_t)" + right);
      else
        stack.push_back(combine(step.kind, pop(), right));
    }
    return stack.back();
  }

  /// The same as numbers with a sign, separated by commas.
  std::string writeAll(llvm::ArrayRef<LaunchExpression> expressions) const {
    std::vector<std::string> texts;
    for (const LaunchExpression &expression : expressions)
      texts.emplace_back("(int64_t)").append(write(expression));
    return texts.empty() ? "0" : llvm::join(texts, ", ");
  }

private:
  std::string argument(std::size_t index) const {
    const base::ElementType &type = kernel.arguments[index].type;
    if (!type.isPointer() && !base::isInteger(type.scalar))
      throw KernelError("kernel `" + specification.kernelName +
                        "` describes an array by the floating-point argument `" + kernel.arguments[index].name + "`");
    return "(uint64_t)" + names[index];
  }

  std::string combine(Kind kind, const std::string &left, const std::string &right) const {
    llvm::StringRef text = kind == Kind::Add        ? "($L$ + $R$)"
                           : kind == Kind::Subtract ? "($L$ - $R$)"
                           : kind == Kind::Multiply ? "($L$ * $R$)"
                                                    : "(uint64_t)$F$_divide((int64_t)$L$, (int64_t)$R$, &tt_failed)";
    return instantiate(text, {{"L", left}, {"R", right}, {"F", specification.functionName}});
  }

  const Specification &specification;
  const base::CompiledKernel &kernel;
  llvm::ArrayRef<std::string> names;
};

} // namespace

TensorMapSource writeTensorMaps(const Specification &specification, const base::CompiledKernel &kernel,
                                llvm::ArrayRef<std::string> names, const TensorMapHost &host) {
  const std::vector<base::TensorMapParameter> &maps = kernel.results.tensorMaps;
  TensorMapSource result;
  if (maps.empty())
    return result;
  ExpressionWriter writer(specification, kernel, names);
  const auto *padding = reinterpret_cast<const char *>(base::tensorMapPadding.bytes.data());
  const std::pair<llvm::StringRef, std::string> common[] = {
      {"F", specification.functionName},
      {"DRIVER", host.driver},
      {"PADDING", initializerOf({padding, base::tensorMapPadding.bytes.size()})},
  };
  result.definitions = instantiate(definitions, common);
  result.storage = instantiate("static CUdeviceptr $F$_padding = 0;\n", common);
  result.preparing = instantiate(preparing, common);
  result.publishing = instantiate(publishing, common);
  result.unloading = instantiate(unloading, common);
  result.locals = "  CUdeviceptr padding = 0, no_padding = 0;\n";
  result.declarations = "    CUtensorMap tt_maps[" + std::to_string(maps.size()) + "];\n    int tt_failed = 0;\n";
  for (auto [index, map] : llvm::enumerate(maps)) {
    std::string number = std::to_string(index);
    result.encoding += instantiate(
        encoding,
        {{"F", specification.functionName},
         {"PADDING", host.padding},
         {"I", number},
         {"EXTENTS", writer.writeAll(map.shape)},
         {"STRIDES", writer.writeAll(map.strides)},
         {"BOX", llvm::join(llvm::map_range(map.box, [](uint32_t extent) { return std::to_string(extent); }), ", ")},
         {"TYPE", std::to_string(base::tensorMapType(map))},
         {"RANK", std::to_string(map.shape.size())},
         {"ADDRESS", writer.write(map.base)},
         {"BYTES", std::to_string(base::bitWidth(map.element) / 8)},
         {"SWIZZLE", std::to_string(base::tensorMapSwizzle(map))},
         {"FILL", map.padsWithNaN ? "1" : "0"}});
    result.arguments += "&tt_maps[" + number + "], ";
  }
  return result;
}

} // namespace triton::aot

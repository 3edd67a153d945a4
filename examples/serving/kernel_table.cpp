// The table of the operators that `tritonc compile --emit=cpp` wrote.
#include "kernel_table.h"

#include "attention.h"
#include "embed.h"
#include "layer_norm.h"
#include "linear_few.h"
#include "linear_gelu_few.h"
#include "linear_gelu_many.h"
#include "linear_many.h"
#include "softmax.h"

#include <cstdio>

namespace serving {
namespace {

/// The generated operators take addresses without `const`, whether the kernel writes there or not.
template <typename Element> Element *address(const Element *pointer) { return const_cast<Element *>(pointer); }

/// Blocks of many rows reuse more of what they load; blocks of few rows compute less that nobody wants.
constexpr std::int32_t mostFewRows = 32;

void writeReason(char *reason, std::size_t size) {
  try {
    throw;
  } catch (const std::exception &error) {
    std::snprintf(reason, size, "%s", error.what());
  } catch (...) {
    std::snprintf(reason, size, "an unknown exception");
  }
}

template <typename Action> const char *reasonOfFailure(Action action) noexcept {
  // An object with a destructor would keep the library loaded until the thread ends.
  static thread_local char reason[512];
  try {
    action();
    return nullptr;
  } catch (...) {
    writeReason(reason, sizeof(reason));
    return reason;
  }
}

class CompiledKernels final : public Kernels {
public:
  explicit CompiledKernels(const triton_aot::Device &device)
      : runEmbed(device), runLinearFew(device), runLinearMany(device), runLinearGeluFew(device),
        runLinearGeluMany(device), runLayerNorm(device), runSoftmax(device), runAttention(device) {}

  const KernelLimits &limits() const noexcept override {
    static constexpr KernelLimits limits = {LINEAR_MULTIPLE, SOFTMAX_COLUMNS, LAYER_NORM_COLUMNS, EMBEDDING_COLUMNS,
                                            HEAD_SIZE};
    return limits;
  }

  const char *target() const noexcept override { return runAttention.target(); }

  const char *embed(void *stream, const Sequences &sequences, const float *tokens, const float *positions, float *out,
                    std::int32_t columns) const noexcept override {
    return reasonOfFailure([&] {
      runEmbed(stream, address(sequences.tokens), address(sequences.starts), address(tokens), address(positions), out,
               sequences.count, sequences.longest, columns);
    });
  }

  const char *linear(void *stream, const float *x, const float *weight, const float *bias, const float *residual,
                     float *out, std::int32_t rows, std::int32_t columns, std::int32_t inner) const noexcept override {
    return reasonOfFailure([&] {
      auto run = [&](const auto &kernel) {
        kernel(stream, address(x), address(weight), address(bias), address(residual), out, rows, columns, inner);
      };
      rows <= mostFewRows ? run(runLinearFew) : run(runLinearMany);
    });
  }

  const char *linearGelu(void *stream, const float *x, const float *weight, const float *bias, float *out,
                         std::int32_t rows, std::int32_t columns, std::int32_t inner) const noexcept override {
    return reasonOfFailure([&] {
      auto run = [&](const auto &kernel) {
        kernel(stream, address(x), address(weight), address(bias), out, rows, columns, inner);
      };
      rows <= mostFewRows ? run(runLinearGeluFew) : run(runLinearGeluMany);
    });
  }

  const char *layerNorm(void *stream, const float *x, const float *weight, const float *bias, float *out,
                        std::int32_t rows, std::int32_t columns, float epsilon) const noexcept override {
    return reasonOfFailure([&] {
      runLayerNorm(stream, address(x), nullptr, address(weight), address(bias), out, rows, columns, epsilon);
    });
  }

  const char *lastLayerNorm(void *stream, const Sequences &sequences, const float *x, const float *weight,
                            const float *bias, float *out, std::int32_t columns,
                            float epsilon) const noexcept override {
    return reasonOfFailure([&] {
      runLayerNorm(stream, address(x), address(sequences.starts), address(weight), address(bias), out, sequences.count,
                   columns, epsilon);
    });
  }

  const char *softmax(void *stream, const float *x, float *out, std::int32_t rows,
                      std::int32_t columns) const noexcept override {
    return reasonOfFailure([&] { runSoftmax(stream, out, address(x), columns, columns, rows, columns); });
  }

  const char *attention(void *stream, const Sequences &sequences, const float *qkv, float *out, std::int32_t heads,
                        float scale) const noexcept override {
    return reasonOfFailure([&] {
      runAttention(stream, address(qkv), out, address(sequences.starts), sequences.count, sequences.longest, heads,
                   scale);
    });
  }

private:
  kernels::EmbedOperator runEmbed;
  kernels::LinearFewOperator runLinearFew;
  kernels::LinearManyOperator runLinearMany;
  kernels::LinearGeluFewOperator runLinearGeluFew;
  kernels::LinearGeluManyOperator runLinearGeluMany;
  kernels::LayerNormOperator runLayerNorm;
  kernels::SoftmaxOperator runSoftmax;
  kernels::AttentionOperator runAttention;
};

} // namespace
} // namespace serving

const std::uint32_t servingKernelsVersion = serving::kernelsVersion;

serving::Kernels *servingOpenKernels(const serving::DeviceId *device, char *reason, std::size_t size) {
  try {
    return new serving::CompiledKernels(device->isCuda ? triton_aot::Device::cuda(device->index)
                                                       : triton_aot::Device::cpu());
  } catch (...) {
    serving::writeReason(reason, size);
    return nullptr;
  }
}

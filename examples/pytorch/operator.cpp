// Two operators of PyTorch whose kernels were compiled ahead of time: a process that uses them compiles nothing.
#include "swiglu_bf16.h"
#include "swiglu_f32.h"
#include "swiglu_gradient_bf16.h"
#include "swiglu_gradient_f32.h"

#include <torch/library.h>
#include <torch/types.h>
#ifdef WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace {

// One array after the other: the kernels know no strides.
at::Tensor dense(const at::Tensor &tensor, const at::Tensor &first, const char *name) {
  TORCH_CHECK_VALUE(tensor.sizes() == first.sizes(), "swiglu: `", name, "` has the shape ", tensor.sizes(),
                    " and `gate` the shape ", first.sizes(), "; give them the same shape");
  TORCH_CHECK_TYPE(tensor.scalar_type() == first.scalar_type(), "swiglu: `", name, "` has the type ",
                   tensor.scalar_type(), " and `gate` the type ", first.scalar_type(), "; give them the same type");
  TORCH_CHECK_VALUE(tensor.device() == first.device(), "swiglu: `", name, "` is on ", tensor.device(),
                    " and `gate` on ", first.device(), "; give them the same device");
  return tensor.contiguous();
}

// Calls launch(device, stream), which is either of the two launches, by the type of the elements.
template <typename LaunchF32, typename LaunchBF16>
void launch(const at::Tensor &gate, const LaunchF32 &launchF32, const LaunchBF16 &launchBF16) {
  triton_aot::Device device = triton_aot::Device::cpu();
  void *stream = nullptr;
#ifdef WITH_CUDA
  c10::cuda::OptionalCUDAGuard guard;
  if (gate.is_cuda()) {
    guard.set_device(gate.device());
    device = triton_aot::Device::cuda(gate.get_device());
    stream = c10::cuda::getCurrentCUDAStream().stream();
  }
#endif
  try {
    if (gate.scalar_type() == at::kFloat)
      launchF32(device, stream);
    else if (gate.scalar_type() == at::kBFloat16)
      launchBF16(device, stream);
    else
      TORCH_CHECK_TYPE(false, "swiglu: `gate` has the type ", gate.scalar_type(), "; give float32 or bfloat16");
  } catch (const triton_aot::Error &error) {
    TORCH_CHECK(false, "swiglu: ", error.what());
  }
}

at::Tensor swiglu(const at::Tensor &gate, const at::Tensor &value) {
  const at::Tensor g = gate.contiguous(), v = dense(value, gate, "value");
  at::Tensor out = at::empty_like(g);
  if (out.numel() == 0)
    return out;
  launch(
      g,
      [&](auto device, void *stream) {
        example::swiglu_f32(device, stream, g.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), g.numel());
      },
      [&](auto device, void *stream) {
        example::swiglu_bf16(device, stream, g.data_ptr(), v.data_ptr(), out.data_ptr(), g.numel());
      });
  return out;
}

std::tuple<at::Tensor, at::Tensor> swigluGradient(const at::Tensor &gate, const at::Tensor &value,
                                                  const at::Tensor &gradient) {
  const at::Tensor g = gate.contiguous(), v = dense(value, gate, "value"), d = dense(gradient, gate, "gradient");
  at::Tensor gateGradient = at::empty_like(g), valueGradient = at::empty_like(g);
  if (g.numel() == 0)
    return {gateGradient, valueGradient};
  launch(
      g,
      [&](auto device, void *stream) {
        example::swiglu_gradient_f32(device, stream, g.data_ptr<float>(), v.data_ptr<float>(), d.data_ptr<float>(),
                                     gateGradient.data_ptr<float>(), valueGradient.data_ptr<float>(), g.numel());
      },
      [&](auto device, void *stream) {
        example::swiglu_gradient_bf16(device, stream, g.data_ptr(), v.data_ptr(), d.data_ptr(), gateGradient.data_ptr(),
                                      valueGradient.data_ptr(), g.numel());
      });
  return {gateGradient, valueGradient};
}

} // namespace

TORCH_LIBRARY(triton_example, library) {
  library.def("swiglu(Tensor gate, Tensor value) -> Tensor");
  library.def("swiglu_gradient(Tensor gate, Tensor value, Tensor gradient) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(triton_example, CPU, library) {
  library.impl("swiglu", swiglu);
  library.impl("swiglu_gradient", swigluGradient);
}

#ifdef WITH_CUDA
TORCH_LIBRARY_IMPL(triton_example, CUDA, library) {
  library.impl("swiglu", swiglu);
  library.impl("swiglu_gradient", swigluGradient);
}
#endif

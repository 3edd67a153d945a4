/* Adds two vectors on an NVIDIA GPU with a kernel that was compiled ahead of time, and compares the time of its launch
   with that of the driver's function. VARIANT is the function of the variant for aligned arrays. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)

extern CUfunction NAME(VARIANT, _func);

enum { count = 100001, block = 1024, launches = 20000, rounds = 7 };

static void require(CUresult code, const char *what) {
  const char *text = NULL;
  if (code == CUDA_SUCCESS)
    return;
  cuGetErrorString(code, &text);
  fprintf(stderr, "%s: %s\n", what, text ? text : "unknown error");
  exit(EXIT_FAILURE);
}

static double microseconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

struct Arrays {
  CUdeviceptr x, y, out;
};

static void launch_linked(struct Arrays *arrays, int32_t n) {
  require(add_default(NULL, arrays->x, arrays->y, arrays->out, n), "add_default");
}

static void launch_directly(struct Arrays *arrays, int32_t n) {
  void *arguments[] = {&arrays->x, &arrays->y, &arrays->out, &n};
  require(cuLaunchKernel(NAME(VARIANT, _func), (unsigned)((n + block - 1) / block), 1, 1, 128, 1, 1, 0, NULL, arguments,
                         NULL),
          "cuLaunchKernel");
}

/* The shortest time of a launch over several rounds, in microseconds; the device keeps up. */
static double measure(void (*launch)(struct Arrays *, int32_t), struct Arrays *arrays) {
  double best = 1e30;
  int round, i;
  for (round = 0; round < rounds; ++round) {
    double start = microseconds(), time;
    for (i = 0; i < launches; ++i)
      launch(arrays, block);
    time = (microseconds() - start) / launches;
    best = time < best ? time : best;
    require(cuCtxSynchronize(), "cuCtxSynchronize");
  }
  return best;
}

/* Fills the arrays, adds them, and counts sums that are wrong. */
static int check(struct Arrays *arrays, float *x, float *y, float *out) {
  const size_t bytes = count * sizeof(float);
  int i, wrong = 0;
  for (i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }
  require(cuMemcpyHtoD(arrays->x, x, bytes), "cuMemcpyHtoD");
  require(cuMemcpyHtoD(arrays->y, y, bytes), "cuMemcpyHtoD");
  launch_linked(arrays, count);
  require(cuMemcpyDtoH(out, arrays->out, bytes), "cuMemcpyDtoH");
  for (i = 0; i < count; ++i)
    wrong += out[i] != x[i] + y[i];
  return wrong;
}

int main(void) {
  CUdevice device;
  CUcontext context;
  struct Arrays arrays;
  static float x[count], y[count], out[count];
  double linked, direct;
  int wrong;
  require(cuInit(0), "cuInit");
  require(cuDeviceGet(&device, 0), "cuDeviceGet");
  require(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  require(cuMemAlloc(&arrays.x, sizeof(x)), "cuMemAlloc");
  require(cuMemAlloc(&arrays.y, sizeof(y)), "cuMemAlloc");
  require(cuMemAlloc(&arrays.out, sizeof(out)), "cuMemAlloc");
  load_add();
  wrong = check(&arrays, x, y, out);
  printf("%d sums: %d wrong\n", count, wrong);
  linked = measure(launch_linked, &arrays);
  direct = measure(launch_directly, &arrays);
  printf("a launch takes %.3f us, cuLaunchKernel alone %.3f us: %.3f times\n", linked, direct, linked / direct);
  unload_add();
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

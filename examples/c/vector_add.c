/* Adds two vectors with a kernel that was compiled ahead of time. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 100001 };

/* Whether the kernel's sums are right, for arrays that begin `offset` elements behind an aligned address. */
static int check(float *x, float *y, float *out, int offset) {
  int n = count - offset, i, wrong = 0, code;
  for (i = 0; i < n; ++i) {
    x[offset + i] = (float)i;
    y[offset + i] = (float)(2 * i);
    out[offset + i] = -1;
  }
  code = add_default(NULL, x + offset, y + offset, out + offset, n);
  if (code != 0) {
    fprintf(stderr, "the launch failed: %s\n", strerror(code));
    return 0;
  }
  for (i = 0; i < n; ++i)
    wrong += out[offset + i] != (float)i + (float)(2 * i);
  printf("%d sums, arrays %s multiples of 16: %d wrong\n", n, offset % 4 == 0 ? "at" : "not at", wrong);
  return wrong == 0;
}

int main(void) {
  size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  float *x = (float *)aligned_alloc(64, bytes), *y = (float *)aligned_alloc(64, bytes);
  float *out = (float *)aligned_alloc(64, bytes);
  int right = 0;
  if (x != NULL && y != NULL && out != NULL) {
    load_add();
    right = check(x, y, out, 0) && check(x, y, out, 1);
    unload_add();
  }
  free(x);
  free(y);
  free(out);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

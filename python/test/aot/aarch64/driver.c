/* Runs one kernel of an object file: `driver LAUNCH`. The file holds numbers of 8 bytes: extents of the grid, bytes of
 * scratch memory, count of arguments; then for each argument its bytes if it is an array, or -1, and 8 bytes of a
 * scalar or the array. The arrays are written back. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void kernel(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch);

/* What kernels call of the runtime. */
int32_t triton_cpu_attention = 1;
static int ticks = 0;
void triton_cpu_tick(void) { ++ticks; }
int64_t triton_cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
void triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z, const char *message, const char *location) {
  printf("assertion (%d, %d, %d): %s at %s\n", x, y, z, message, location);
  exit(3);
}
void triton_cpu_print(int32_t x, int32_t y, int32_t z, const char *prefix, const void *elements, const int64_t *shape,
                      int32_t rank, int32_t bits, int32_t kind, int32_t hex) {
  int64_t count = 1, i;
  for (i = 0; i < rank; ++i)
    count *= shape[i];
  printf("(%d, %d, %d)%s rank %d bits %d kind %d hex %d:", x, y, z, prefix, rank, bits, kind, hex);
  for (i = 0; elements && i < count; ++i) {
    uint64_t value = 0;
    memcpy(&value, (const char *)elements + i * bits / 8, (size_t)bits / 8);
    printf(" %" PRIx64, value);
  }
  printf("\n");
}

static int64_t number(FILE *file) {
  int64_t value;
  if (fread(&value, 8, 1, file) != 1)
    exit(2);
  return value;
}

int main(int argc, char **argv) {
  enum { Most = 32 };
  FILE *file = fopen(argv[argc - 1], "r+b");
  int32_t grid[3];
  int64_t sizes[Most], offsets[Most], count, i;
  uint64_t arguments[Most];
  char *scratch;
  if (!file)
    return 2;
  for (i = 0; i < 3; ++i)
    grid[i] = (int32_t)number(file);
  scratch = aligned_alloc(64, (size_t)(number(file) + 63) / 64 * 64 + 64);
  count = number(file);
  for (i = 0; i < count; ++i) {
    sizes[i] = number(file);
    offsets[i] = ftell(file);
    if (sizes[i] < 0) {
      arguments[i] = (uint64_t)number(file);
      continue;
    }
    /* Behind the array lies what may not be read. */
    char *memory = aligned_alloc(64, (size_t)(sizes[i] + 127) / 64 * 64);
    arguments[i] = (uint64_t)(uintptr_t)memory;
    if (fread(memory, 1, (size_t)sizes[i], file) != (size_t)sizes[i])
      return 2;
  }
  kernel(arguments, grid, 0, (int64_t)grid[0] * grid[1] * grid[2], scratch);
  for (i = 0; i < count; ++i) {
    if (sizes[i] < 0)
      continue;
    fseek(file, offsets[i], SEEK_SET);
    fwrite((void *)(uintptr_t)arguments[i], 1, (size_t)sizes[i], file);
  }
  return fclose(file);
}

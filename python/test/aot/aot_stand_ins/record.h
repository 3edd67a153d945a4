/* What a stand-in for a driver records. Tests set `fake_sizes` to the bytes of each parameter of the next launch. */
#include <stdint.h>
#include <string.h>

int fake_sizes[32];
int fake_count = 0;
unsigned char fake_parameters[32][128];
unsigned fake_grid[3], fake_block[3], fake_shared;
void *fake_stream;
int fake_launched = 0; /* the number of the load whose function was launched last */
int fake_launches = 0, fake_loads = 0, fake_unloads = 0;
int fake_load_failure = 0;
int fake_opted_in = 0; /* bytes of shared memory */
int fake_prefers_shared = 0;
int fake_most_shared = 232448;
char fake_name[256];
const unsigned char *fake_image;
/* Of the tensor maps that were encoded, each with its number in its bytes. */
struct fake_map {
  uint64_t type, rank, address, sizes[5], strides[5], box[5], swizzle, fill;
} fake_maps[8];
int fake_map_count = 0;
unsigned char fake_memory[64]; /* of the device */
int fake_allocated = 0;

static int record_launch(const unsigned *grid, const unsigned *block, unsigned shared, void *stream,
                         void **parameters) {
  int i;
  memcpy(fake_grid, grid, sizeof(fake_grid));
  memcpy(fake_block, block, sizeof(fake_block));
  fake_shared = shared;
  fake_stream = stream;
  memset(fake_parameters, 0xEE, sizeof(fake_parameters));
  for (i = 0; i < fake_count; ++i)
    memcpy(fake_parameters[i], parameters[i], (unsigned)fake_sizes[i]);
  ++fake_launches;
  return 0;
}

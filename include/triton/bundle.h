/* Reads bundles: files with kernels for several targets, which `tritonc bundle` and `tritonc build` write. C11 and
 * C++17, without any library but that of C. One source file of a program defines TRITON_BUNDLE_IMPLEMENTATION before it
 * includes this header.
 *
 *   triton_bundle *bundle;
 *   triton_bundle_error error;
 *   if (triton_bundle_open_file("kernels.ttb", &bundle, &error) != TRITON_BUNDLE_OK)
 *     fail(error.text);
 *   triton_bundle_kernel kernel;
 *   if (triton_bundle_load(bundle, "add", NULL, triton_bundle_cuda_device(90), &kernel, &error) != TRITON_BUNDLE_OK)
 *     fail(error.text);
 *   ...
 *   uint64_t arguments[] = {x, y, out, n};
 *   const triton_bundle_code *code = triton_bundle_choose(&kernel, arguments);
 *
 * docs/aot.md shows whole programs. Everything that can be wrong with a bundle, a machine or a device is an error of
 * `open` or `load`. `choose` and `run` only return NULL or a code for arguments that no variant takes. `open` reads the
 * tables alone, and `load` the code of one kernel, so that a large bundle costs no more than what is used of it.
 *
 * Threads: a bundle may be opened, loaded from and closed by one thread at a time. What was loaded may be used by any
 * number of threads until the bundle is closed. */
#ifndef TRITON_BUNDLE_H
#define TRITON_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRITON_BUNDLE_OK = 0,
  TRITON_BUNDLE_CANNOT_READ = 1,   /* the file */
  TRITON_BUNDLE_NOT_A_BUNDLE = 2,  /* it begins in another way */
  TRITON_BUNDLE_OTHER_VERSION = 3, /* another version of the format, or of another byte order */
  TRITON_BUNDLE_TRUNCATED = 4,     /* it is shorter or longer than it says */
  TRITON_BUNDLE_DAMAGED = 5,       /* a checksum is wrong, or its parts contradict each other */
  TRITON_BUNDLE_NO_KERNEL = 6,     /* no kernel or choice of constants of that name */
  TRITON_BUNDLE_NO_DEVICE = 7,     /* no code that the device runs */
  TRITON_BUNDLE_CANNOT_LOAD = 8,   /* the system refuses the code for this processor */
  TRITON_BUNDLE_NO_MEMORY = 9,
  TRITON_BUNDLE_NO_MAP = 10, /* no tensor map describes an array */
  TRITON_BUNDLE_NO_ITEM = 11
};

typedef struct {
  int code;       /* one of those above */
  char text[480]; /* a sentence for people */
} triton_bundle_error;

enum { TRITON_BUNDLE_CPU = 1, TRITON_BUNDLE_CUDA = 2, TRITON_BUNDLE_HIP = 3 };

/* From this compute capability on, 9.0, code has what only its own architecture has, and runs on no other. */
enum { TRITON_BUNDLE_EXACT_CAPABILITY = 90 };

/* What kernels run on. */
typedef struct {
  int backend;              /* TRITON_BUNDLE_CPU, ... */
  int capability;           /* CUDA: 90 for compute capability 9.0 */
  const char *architecture; /* HIP: "gfx942", with or without features behind a colon */
} triton_bundle_device;

/* A parameter that the kernel has at run time. */
typedef struct {
  const char *name;
  const char *type; /* as in signatures: "*fp32", "i32", "fp16" */
} triton_bundle_parameter;

/* What an argument has to be for code to take it. */
enum {
  TRITON_BUNDLE_MULTIPLE_OF_16 = 1, /* value or address */
  TRITON_BUNDLE_ONE = 2,
  TRITON_BUNDLE_NULL = 3,
  TRITON_BUNDLE_NOT_NULL = 4
};
typedef struct {
  uint32_t parameter; /* index among the kernel's parameters */
  uint32_t kind;
} triton_bundle_condition;

/* The machine code of one signature. */
typedef struct {
  const void *bytes; /* CPU: a shared library of ELF; CUDA: a cubin; HIP: a code object */
  size_t size;
  const char *symbol;     /* the name of the function in it */
  uint32_t warps;         /* of a program, as the kernel sees it; CPU: 1 */
  uint32_t threads;       /* of a program, as a launch starts them (the x extent of a block); CPU: 1 */
  uint32_t shared_bytes;  /* of dynamic shared memory that a launch asks for. More than 48 KiB has to be allowed on CUDA
                             by CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
  uint64_t scratch_bytes; /* CPU: of each thread */
  size_t argument_count;  /* what the code takes: */
  const uint32_t *arguments; /* indexes among the kernel's parameters */
  size_t condition_count;
  const triton_bundle_condition *conditions;
  void *function;      /* CPU: the loaded function; otherwise NULL */
  size_t map_count;    /* CUDA: of tensor maps, which a launch encodes and passes by value */
  const int64_t *maps; /* for triton_bundle_describe_map */
} triton_bundle_code;

/* What cuTensorMapEncodeTiled gets, with the contiguous dimension first. The interleave is none (0), the promotion to
 * 128 bytes (2), and all element strides are 1. */
enum { TRITON_BUNDLE_MAP_RANK = 5, TRITON_BUNDLE_MAP_PROMOTION = 2 };
typedef struct {
  uint32_t type, rank, swizzle, fill; /* CUtensorMapDataType, ..., CUtensorMapSwizzle, CUtensorMapFloatOOBfill */
  uint64_t address;
  uint64_t sizes[TRITON_BUNDLE_MAP_RANK];
  uint64_t strides[TRITON_BUNDLE_MAP_RANK]; /* in bytes, of all dimensions but the first: one less than `rank` */
  uint32_t box[TRITON_BUNDLE_MAP_RANK];
  uint32_t steps[TRITON_BUNDLE_MAP_RANK]; /* all are 1 */
} triton_bundle_map;

/* The code of a kernel for one device, from which `choose` takes one at each launch. */
typedef struct {
  const char *name;      /* of the kernel */
  const char *variant;   /* the choice of constants and options, such as "BLOCK64_warps4_stages3" */
  const char *constants; /* the same for people: "BLOCK=64, num_warps=4, num_stages=3" */
  const char *target;    /* "cpu:x86-64-v3", "cuda:90" */
  size_t parameter_count;
  const triton_bundle_parameter *parameters;
  size_t code_count;
  const triton_bundle_code *codes; /* in the order in which `choose` tries them */
} triton_bundle_kernel;

typedef struct triton_bundle triton_bundle;

/* Opens a bundle and checks its tables. `data` must live until the bundle is closed, at any address. Returns
 * TRITON_BUNDLE_OK, or a code, with `*error` filled unless it is NULL and `*bundle` NULL. */
int triton_bundle_open_memory(const void *data, size_t size, triton_bundle **bundle, triton_bundle_error *error);
/* The same for a file, which is mapped into memory where the system can do that: to replace it, rename another one to
 * its name, which leaves the open one as it is. */
int triton_bundle_open_file(const char *path, triton_bundle **bundle, triton_bundle_error *error);
/* Unloads what was loaded for the CPU. NULL is allowed. */
void triton_bundle_close(triton_bundle *bundle);

/* The kernels with their variants and targets: `index` counts from 0. Returns 0 where there are no more. Only the names
 * are filled in. */
int triton_bundle_list(const triton_bundle *bundle, size_t index, triton_bundle_kernel *kernel);

static inline triton_bundle_device triton_bundle_cpu_device(void) {
  triton_bundle_device device = {TRITON_BUNDLE_CPU, 0, NULL};
  return device;
}
static inline triton_bundle_device triton_bundle_cuda_device(int capability) {
  triton_bundle_device device = {TRITON_BUNDLE_CUDA, capability, NULL};
  return device;
}
static inline triton_bundle_device triton_bundle_hip_device(const char *architecture) {
  triton_bundle_device device = {TRITON_BUNDLE_HIP, 0, architecture};
  return device;
}

/* Finds the code of a kernel for a device: that of the newest architecture that it runs, or of the most capable
 * processor that this one can stand for. `variant` NULL is the first choice of constants in the bundle. For the CPU,
 * the code is loaded into the process. What `*kernel` points to lives until the bundle is closed. */
int triton_bundle_load(triton_bundle *bundle, const char *kernel_name, const char *variant, triton_bundle_device device,
                       triton_bundle_kernel *kernel, triton_bundle_error *error);

/* The first code whose conditions hold for the arguments, one for each of the kernel's parameters: addresses, integers
 * extended with their sign to 64 bits, and numbers as their bits in the kernel's type (a float's 32 bits for fp32).
 * NULL where there is none. */
const triton_bundle_code *triton_bundle_choose(const triton_bundle_kernel *kernel, const uint64_t *arguments);

/* Writes what the code takes, in its order: those of the arguments that it has, and for GPUs two null addresses behind
 * them. The driver gets the addresses of the slots, `&slots[0]` and so on, each of which holds a value in its first
 * bytes. Returns how many there are: `argument_count`, and 2 more for GPUs. */
size_t triton_bundle_pack(const triton_bundle_kernel *kernel, const triton_bundle_code *code, const uint64_t *arguments,
                          uint64_t *slots);

/* Computes what a tensor map of the code says in a launch with these arguments; `index` is less than `map_count`.
 * `padding` is the address, a multiple of 16, at which the GPU has the bytes of `triton_bundle_padding`, which are read
 * in place of arrays without elements. TRITON_BUNDLE_NO_MAP where a stride is none that a map can have. */
int triton_bundle_describe_map(const triton_bundle_code *code, size_t index, const uint64_t *arguments,
                               uint64_t padding, triton_bundle_map *map);
enum { TRITON_BUNDLE_PADDING_BYTES = 32 };
const unsigned char *triton_bundle_padding(void);

/* Fills what the driver gets in a launch: the addresses of the slots and, between those of the arguments and the null
 * addresses behind them, those of the encoded maps, each of `map_bytes` bytes (sizeof(CUtensorMap)). Returns how many
 * there are, at most TRITON_BUNDLE_MAX_PARAMETERS. */
size_t triton_bundle_parameters(const triton_bundle_kernel *kernel, const triton_bundle_code *code, uint64_t *slots,
                                void *maps, size_t map_bytes, void **parameters);

/* CPU: runs the programs of a grid on the calling thread, numbered with the first extent running fastest, from `begin`
 * to before `end`; so threads can share a grid. Returns TRITON_BUNDLE_OK or TRITON_BUNDLE_NO_MEMORY. */
int triton_bundle_run_some(const triton_bundle_kernel *kernel, const triton_bundle_code *code,
                           const uint64_t *arguments, const int32_t grid[3], int64_t begin, int64_t end);
/* CPU: runs all programs of the grid on the calling thread. */
int triton_bundle_run(const triton_bundle_kernel *kernel, const triton_bundle_code *code, const uint64_t *arguments,
                      int32_t x, int32_t y, int32_t z);

/* What else a bundle holds: bytes with names, such as what launches from Python need. The items are ordered by name;
 * `triton_bundle_find_item` returns the index of the first one whose name is not less than `name`, which may be that of
 * none. `triton_bundle_item` returns TRITON_BUNDLE_OK, TRITON_BUNDLE_NO_ITEM behind the last one, or
 * TRITON_BUNDLE_DAMAGED. Any number of threads may read items. */
typedef struct {
  const char *name;
  const void *bytes;
  size_t size;
  const unsigned char *digest; /* TRITON_BUNDLE_DIGEST_BYTES: the SHA-256 of the bytes, which is not compared here */
} triton_bundle_item_view;
size_t triton_bundle_find_item(const triton_bundle *bundle, const char *name);
int triton_bundle_item(const triton_bundle *bundle, size_t index, triton_bundle_item_view *item,
                       triton_bundle_error *error);

/* The format, which `tritonc bundle` and `tritonc build` write: this header; the tables of signatures, words of tensor
 * maps, items, entries, parameters, arguments and conditions; texts that end with a zero; code and the bytes of items
 * at multiples of 64. All numbers are little-endian, and places count from the beginning of the file.
 *
 * Checksums are those of `triton_bundle_checksum`. That of the header covers everything from `file_bytes` to the end of
 * the texts, which has the checksums and the digests, SHA-256, of all that follows. The signature is the HMAC-SHA256 of
 * the same bytes, or zeros where nobody has signed. */
#define TRITON_BUNDLE_MAGIC "TTBUNDLE"
#define TRITON_BUNDLE_VERSION 3
#define TRITON_BUNDLE_DIGEST_BYTES 32
#define TRITON_BUNDLE_MAX_ARGUMENTS 1024
#define TRITON_BUNDLE_MAX_MAPS 64
#define TRITON_BUNDLE_MAX_PARAMETERS (TRITON_BUNDLE_MAX_ARGUMENTS + TRITON_BUNDLE_MAX_MAPS + 2)

typedef struct {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  unsigned char signature[TRITON_BUNDLE_DIGEST_BYTES];
  uint64_t checksum;
  uint64_t file_bytes;
  uint32_t entry_count, parameter_count, signature_count, argument_count, condition_count, text_bytes;
  uint32_t word_count, item_count;
} triton_bundle_file_header;

/* A kernel with one choice of constants for one target. Texts are places among the texts. */
typedef struct {
  uint32_t name, variant, constants, target;
  uint32_t backend;
  uint32_t capability;   /* CUDA */
  uint32_t architecture; /* HIP and CPU: a text */
  uint32_t features;     /* CPU: a text, the instructions that the processor must have, separated by commas */
  uint32_t first_parameter, parameter_count;
  uint32_t first_signature, signature_count;
} triton_bundle_file_entry;

typedef struct {
  uint32_t name, type; /* texts */
} triton_bundle_file_parameter;

typedef struct {
  uint64_t code, code_bytes, code_checksum;
  unsigned char code_digest[TRITON_BUNDLE_DIGEST_BYTES];
  uint64_t scratch_bytes;
  uint32_t symbol; /* a text */
  uint32_t warps, threads, shared_bytes;
  uint32_t first_argument, argument_count;
  uint32_t first_condition, condition_count;
  uint32_t first_word, map_count;
} triton_bundle_file_signature;

typedef struct {
  uint64_t place, bytes, checksum;
  unsigned char digest[TRITON_BUNDLE_DIGEST_BYTES];
  uint32_t name; /* a text */
  uint32_t reserved;
} triton_bundle_file_item;

/* A tensor map is these words, the extents of its box with the contiguous dimension last, and expressions: of the
 * address in bytes, of each extent and of each stride but the last, in elements. An expression is the number of its
 * steps and two words for each, a kind and a value, in postfix order; they compute modulo 2^64. */
enum {
  TRITON_BUNDLE_WORD_TYPE,
  TRITON_BUNDLE_WORD_RANK,
  TRITON_BUNDLE_WORD_ELEMENT_BYTES,
  TRITON_BUNDLE_WORD_SWIZZLE,
  TRITON_BUNDLE_WORD_FILL,
  TRITON_BUNDLE_WORDS_OF_MAP
};
enum {
  TRITON_BUNDLE_STEP_ARGUMENT, /* the value is its index among those that the code takes */
  TRITON_BUNDLE_STEP_CONSTANT,
  TRITON_BUNDLE_STEP_ADD,
  TRITON_BUNDLE_STEP_SUBTRACT,
  TRITON_BUNDLE_STEP_MULTIPLY,
  TRITON_BUNDLE_STEP_DIVIDE,        /* signed, towards zero */
  TRITON_BUNDLE_STEP_SIGN_EXTEND_32 /* of the low 32 bits */
};
enum { TRITON_BUNDLE_MAX_DEPTH = 64 }; /* of values that an expression has at a time */

#ifdef __cplusplus
}
#endif

#ifdef TRITON_BUNDLE_IMPLEMENTATION

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#define TRITON_BUNDLE_MAPS_FILES 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__linux__)
#define TRITON_BUNDLE_RUNS_CPU 1
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>
#else
#include <cpuid.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#elif defined(TRITON_BUNDLE_RUNS_CPU)
extern long syscall(long number, ...); /* -std=c11 hides it, wherever this header stands */
#endif

struct triton_bundle {
  const unsigned char *data;
  void *owned;   /* the bytes of a file */
  void *mapping; /* the same where they are mapped */
  triton_bundle_file_header header;
  const triton_bundle_file_item *items;
  const triton_bundle_file_entry *entries;
  const triton_bundle_file_parameter *file_parameters;
  const triton_bundle_file_signature *signatures;
  const int64_t *words;
  const uint32_t *arguments;
  const triton_bundle_condition *conditions;
  const char *texts;
  void *tables; /* a copy, which is aligned */
  triton_bundle_parameter *parameters;
  triton_bundle_code *codes; /* of all signatures */
  void **libraries;          /* of all signatures: what dlopen returned */
  int *files;                /* of all signatures: 1 more than the descriptor of a library's file, or 0 */
  unsigned char *checked;    /* of all signatures: whether the code has its checksum */
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int triton_bundle_fail(triton_bundle_error *error, int code, const char *format, ...) {
  va_list values;
  if (error == NULL)
    return code;
  error->code = code;
  va_start(values, format);
  (void)vsnprintf(error->text, sizeof(error->text), format, values);
  va_end(values);
  return code;
}

/* Of words of 8 bytes, the last one with zeros behind its bytes, and of the size. */
static uint64_t triton_bundle_checksum(const void *data, size_t size) {
  const unsigned char *bytes = (const unsigned char *)data;
  uint64_t hash = 0xCBF29CE484222325u ^ (uint64_t)size;
  size_t i;
  for (i = 0; i < size; i += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/* Whether [first, first + count) lies in a table. */
static int triton_bundle_within(uint64_t first, uint64_t count, uint64_t size) {
  return first <= size && count <= size - first;
}

static int triton_bundle_check_header(const unsigned char *data, size_t size, triton_bundle_file_header *header,
                                      triton_bundle_error *error) {
  const uint16_t one = 1;
  if (size < sizeof(header->magic) || memcmp(data, TRITON_BUNDLE_MAGIC, sizeof(header->magic)) != 0)
    return triton_bundle_fail(error, TRITON_BUNDLE_NOT_A_BUNDLE,
                              "this is not a bundle of kernels; `tritonc build` and `tritonc bundle` write bundles");
  if (*(const unsigned char *)&one != 1)
    return triton_bundle_fail(error, TRITON_BUNDLE_OTHER_VERSION, "bundles are for little-endian machines");
  if (size < sizeof(*header))
    return triton_bundle_fail(error, TRITON_BUNDLE_TRUNCATED, "the bundle ends within its header, after %llu bytes",
                              (unsigned long long)size);
  memcpy(header, data, sizeof(*header));
  if (header->version != TRITON_BUNDLE_VERSION || header->header_bytes != sizeof(*header))
    return triton_bundle_fail(error, TRITON_BUNDLE_OTHER_VERSION,
                              "the bundle has version %lu of the format; this program reads version %d: build it again",
                              (unsigned long)header->version, TRITON_BUNDLE_VERSION);
  if (header->file_bytes != size)
    return triton_bundle_fail(error, TRITON_BUNDLE_TRUNCATED, "the bundle has %llu bytes in place of %llu",
                              (unsigned long long)size, (unsigned long long)header->file_bytes);
  return TRITON_BUNDLE_OK;
}

static size_t triton_bundle_table_bytes(const triton_bundle_file_header *header) {
  return (size_t)header->entry_count * sizeof(triton_bundle_file_entry) +
         (size_t)header->parameter_count * sizeof(triton_bundle_file_parameter) +
         (size_t)header->signature_count * sizeof(triton_bundle_file_signature) +
         (size_t)header->word_count * sizeof(int64_t) + (size_t)header->argument_count * sizeof(uint32_t) +
         (size_t)header->condition_count * sizeof(triton_bundle_condition) +
         (size_t)header->item_count * sizeof(triton_bundle_file_item) + (size_t)header->text_bytes;
}

/* What the checksum and the signature of the header are of. */
static const unsigned char *triton_bundle_summed(const triton_bundle *bundle, size_t *size) {
  const size_t unsummed = offsetof(triton_bundle_file_header, file_bytes);
  *size = sizeof(bundle->header) + triton_bundle_table_bytes(&bundle->header) - unsummed;
  return bundle->data + unsummed;
}

/* Copies the tables, because the bytes of a bundle may lie anywhere. */
static int triton_bundle_read_tables(triton_bundle *bundle, triton_bundle_error *error) {
  const triton_bundle_file_header *header = &bundle->header;
  const size_t bytes = triton_bundle_table_bytes(header);
  const unsigned char *summed;
  size_t summed_bytes;
  char *place;
  if (bytes > header->file_bytes - sizeof(*header) || header->text_bytes == 0)
    return triton_bundle_fail(error, TRITON_BUNDLE_DAMAGED,
                              "the bundle is damaged: its tables are larger than the file");
  summed = triton_bundle_summed(bundle, &summed_bytes);
  if (header->checksum != triton_bundle_checksum(summed, summed_bytes))
    return triton_bundle_fail(error, TRITON_BUNDLE_DAMAGED, "the bundle is damaged: its checksum is wrong");
  bundle->tables = malloc(bytes);
  bundle->parameters =
      (triton_bundle_parameter *)calloc((size_t)header->parameter_count + 1, sizeof(*bundle->parameters));
  bundle->codes = (triton_bundle_code *)calloc((size_t)header->signature_count + 1, sizeof(*bundle->codes));
  bundle->libraries = (void **)calloc((size_t)header->signature_count + 1, sizeof(*bundle->libraries));
  bundle->files = (int *)calloc((size_t)header->signature_count + 1, sizeof(*bundle->files));
  bundle->checked = (unsigned char *)calloc((size_t)header->signature_count + 1, 1);
  if (bundle->tables == NULL || bundle->parameters == NULL || bundle->codes == NULL || bundle->libraries == NULL ||
      bundle->files == NULL || bundle->checked == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory for the bundle");
  memcpy(bundle->tables, bundle->data + sizeof(*header), bytes);
  place = (char *)bundle->tables;
  /* C and C++ read this: neither has the casts of the other. NOLINTBEGIN(bugprone-casting-through-void) */
  bundle->signatures = (const triton_bundle_file_signature *)(void *)place; /* first, for their alignment */
  place += (size_t)header->signature_count * sizeof(triton_bundle_file_signature);
  bundle->words = (const int64_t *)(void *)place;
  place += (size_t)header->word_count * sizeof(int64_t);
  bundle->items = (const triton_bundle_file_item *)(void *)place;
  place += (size_t)header->item_count * sizeof(triton_bundle_file_item);
  bundle->entries = (const triton_bundle_file_entry *)(void *)place;
  place += (size_t)header->entry_count * sizeof(triton_bundle_file_entry);
  bundle->file_parameters = (const triton_bundle_file_parameter *)(void *)place;
  place += (size_t)header->parameter_count * sizeof(triton_bundle_file_parameter);
  bundle->arguments = (const uint32_t *)(void *)place;
  place += (size_t)header->argument_count * sizeof(uint32_t);
  bundle->conditions = (const triton_bundle_condition *)(void *)place;
  place += (size_t)header->condition_count * sizeof(triton_bundle_condition);
  /* NOLINTEND(bugprone-casting-through-void) */
  bundle->texts = place;
  return TRITON_BUNDLE_OK;
}

/* Where the expression at `word` ends; NULL where it is none of a code with so many arguments. */
static const int64_t *triton_bundle_check_expression(const int64_t *word, const int64_t *end, uint32_t arguments) {
  int64_t step, steps, depth = 0;
  if (word == NULL || word == end || *word < 1 || *word > (end - word - 1) / 2)
    return NULL;
  steps = *word++;
  for (step = 0; step < steps; ++step, word += 2) {
    const int is_value = word[0] == TRITON_BUNDLE_STEP_ARGUMENT || word[0] == TRITON_BUNDLE_STEP_CONSTANT;
    if (word[0] < 0 || word[0] > TRITON_BUNDLE_STEP_SIGN_EXTEND_32 ||
        (word[0] == TRITON_BUNDLE_STEP_ARGUMENT && (word[1] < 0 || word[1] >= (int64_t)arguments)))
      return NULL;
    depth += is_value ? 1 : word[0] == TRITON_BUNDLE_STEP_SIGN_EXTEND_32 ? 0 : -1;
    if (depth < 1 || depth > TRITON_BUNDLE_MAX_DEPTH)
      return NULL;
  }
  return depth == 1 ? word : NULL;
}

/* The number of expressions of the map at `word`, and where they begin. */
static int64_t triton_bundle_expressions_of_map(const int64_t **word) {
  const int64_t rank = (*word)[TRITON_BUNDLE_WORD_RANK];
  *word += TRITON_BUNDLE_WORDS_OF_MAP + rank;
  return 2 * rank;
}

static int triton_bundle_maps_are_sound(const triton_bundle *bundle, const triton_bundle_file_signature *signature) {
  const int64_t *end = bundle->words + bundle->header.word_count;
  const int64_t *word = bundle->words + signature->first_word;
  uint32_t i;
  if (signature->first_word > bundle->header.word_count || signature->map_count > TRITON_BUNDLE_MAX_MAPS)
    return 0;
  for (i = 0; i < signature->map_count; ++i) {
    int64_t expressions;
    if (end - word < (int)TRITON_BUNDLE_WORDS_OF_MAP + (int)TRITON_BUNDLE_MAP_RANK ||
        word[TRITON_BUNDLE_WORD_RANK] < 1 || word[TRITON_BUNDLE_WORD_RANK] > TRITON_BUNDLE_MAP_RANK)
      return 0;
    for (expressions = triton_bundle_expressions_of_map(&word); expressions > 0; --expressions)
      if ((word = triton_bundle_check_expression(word, end, signature->argument_count)) == NULL)
        return 0;
  }
  return 1;
}

/* Whether every number of an entry and its signatures stays within its table. The texts end with a zero. */
static int triton_bundle_entry_is_sound(const triton_bundle *bundle, const triton_bundle_file_entry *entry) {
  const triton_bundle_file_header *header = &bundle->header;
  const uint32_t texts = header->text_bytes;
  uint32_t i, j;
  if (entry->name >= texts || entry->variant >= texts || entry->constants >= texts || entry->target >= texts ||
      entry->architecture >= texts || entry->features >= texts ||
      entry->parameter_count > TRITON_BUNDLE_MAX_ARGUMENTS ||
      !triton_bundle_within(entry->first_parameter, entry->parameter_count, header->parameter_count) ||
      !triton_bundle_within(entry->first_signature, entry->signature_count, header->signature_count))
    return 0;
  for (i = 0; i < entry->signature_count; ++i) {
    const triton_bundle_file_signature *signature = &bundle->signatures[entry->first_signature + i];
    if (signature->symbol >= texts ||
        !triton_bundle_within(signature->code, signature->code_bytes, header->file_bytes) ||
        signature->argument_count > TRITON_BUNDLE_MAX_ARGUMENTS ||
        !triton_bundle_within(signature->first_argument, signature->argument_count, header->argument_count) ||
        !triton_bundle_within(signature->first_condition, signature->condition_count, header->condition_count))
      return 0;
    for (j = 0; j < signature->argument_count; ++j)
      if (bundle->arguments[signature->first_argument + j] >= entry->parameter_count)
        return 0;
    for (j = 0; j < signature->condition_count; ++j)
      if (bundle->conditions[signature->first_condition + j].parameter >= entry->parameter_count)
        return 0;
    if ((signature->map_count != 0 && entry->backend != TRITON_BUNDLE_CUDA) || /* only its driver encodes maps */
        !triton_bundle_maps_are_sound(bundle, signature))
      return 0;
  }
  return 1;
}

/* Whether an item lies in the file, with a name behind that of the one before it. */
static int triton_bundle_item_is_sound(const triton_bundle *bundle, uint32_t index) {
  const triton_bundle_file_item *item = &bundle->items[index];
  return item->name < bundle->header.text_bytes &&
         triton_bundle_within(item->place, item->bytes, bundle->header.file_bytes) &&
         (index == 0 || strcmp(bundle->texts + item[-1].name, bundle->texts + item->name) < 0);
}

/* Checks the tables and fills what the program gets to see. */
static int triton_bundle_check_tables(triton_bundle *bundle, triton_bundle_error *error) {
  const triton_bundle_file_header *header = &bundle->header;
  uint32_t i;
  int is_sound = bundle->texts[header->text_bytes - 1] == 0;
  for (i = 0; is_sound && i < header->parameter_count; ++i)
    is_sound =
        bundle->file_parameters[i].name < header->text_bytes && bundle->file_parameters[i].type < header->text_bytes;
  for (i = 0; is_sound && i < header->entry_count; ++i)
    is_sound = triton_bundle_entry_is_sound(bundle, &bundle->entries[i]);
  for (i = 0; is_sound && i < header->item_count; ++i)
    is_sound = triton_bundle_item_is_sound(bundle, i);
  if (!is_sound)
    return triton_bundle_fail(error, TRITON_BUNDLE_DAMAGED, "the bundle is damaged: its tables contradict each other");
  for (i = 0; i < header->parameter_count; ++i) {
    bundle->parameters[i].name = bundle->texts + bundle->file_parameters[i].name;
    bundle->parameters[i].type = bundle->texts + bundle->file_parameters[i].type;
  }
  for (i = 0; i < header->signature_count; ++i) {
    const triton_bundle_file_signature *signature = &bundle->signatures[i];
    triton_bundle_code *code = &bundle->codes[i];
    code->bytes = bundle->data + signature->code;
    code->size = (size_t)signature->code_bytes;
    code->symbol = bundle->texts + signature->symbol;
    code->warps = signature->warps;
    code->threads = signature->threads;
    code->shared_bytes = signature->shared_bytes;
    code->scratch_bytes = signature->scratch_bytes;
    code->argument_count = signature->argument_count;
    code->arguments = bundle->arguments + signature->first_argument;
    code->condition_count = signature->condition_count;
    code->conditions = bundle->conditions + signature->first_condition;
    code->map_count = signature->map_count;
    code->maps = bundle->words + signature->first_word;
  }
  return TRITON_BUNDLE_OK;
}

int triton_bundle_open_memory(const void *data, size_t size, triton_bundle **bundle, triton_bundle_error *error) {
  triton_bundle_file_header header;
  triton_bundle *opened;
  int code = triton_bundle_check_header((const unsigned char *)data, size, &header, error);
  *bundle = NULL;
  if (code != TRITON_BUNDLE_OK)
    return code;
  opened = (triton_bundle *)calloc(1, sizeof(*opened));
  if (opened == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory for the bundle");
  opened->data = (const unsigned char *)data;
  opened->header = header;
  code = triton_bundle_read_tables(opened, error);
  if (code == TRITON_BUNDLE_OK)
    code = triton_bundle_check_tables(opened, error);
  if (code != TRITON_BUNDLE_OK) {
    triton_bundle_close(opened);
    return code;
  }
  *bundle = opened;
  return TRITON_BUNDLE_OK;
}

#ifdef TRITON_BUNDLE_MAPS_FILES
int triton_bundle_open_file(const char *path, triton_bundle **bundle, triton_bundle_error *error) {
#ifdef O_CLOEXEC /* which -std=c11 hides */
  const int flags = O_RDONLY | O_CLOEXEC;
#else
  const int flags = O_RDONLY;
#endif
  struct stat facts;
  void *data = NULL;
  int code, file = open(path, flags);
  *bundle = NULL;
  if (file >= 0 && fstat(file, &facts) != 0) {
    code = triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_READ, "cannot read `%s`: %s", path, strerror(errno));
    (void)close(file);
    return code;
  }
  if (file >= 0 && !S_ISREG(facts.st_mode)) {
    (void)close(file);
    return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_READ, "cannot read `%s`: it is not a file", path);
  }
  if (file >= 0 && facts.st_size > 0)
    data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (file < 0 || data == MAP_FAILED) {
    code = triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_READ, "cannot read `%s`: %s", path, strerror(errno));
    if (file >= 0)
      (void)close(file);
    return code;
  }
  (void)close(file);
  code = triton_bundle_open_memory(data, (size_t)facts.st_size, bundle, error);
  if (code == TRITON_BUNDLE_OK)
    (*bundle)->mapping = data;
  else if (data != NULL)
    (void)munmap(data, (size_t)facts.st_size);
  return code;
}
#else
int triton_bundle_open_file(const char *path, triton_bundle **bundle, triton_bundle_error *error) {
  FILE *file = fopen(path, "rb");
  unsigned char *data = NULL;
  size_t size = 0, room = 0;
  int code = TRITON_BUNDLE_OK;
  *bundle = NULL;
  if (file == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_READ, "cannot read `%s`: %s", path, strerror(errno));
  while (code == TRITON_BUNDLE_OK && !feof(file)) {
    if (size == room) {
      unsigned char *larger = (unsigned char *)realloc(data, room = room == 0 ? 65536 : 2 * room);
      if (larger == NULL) {
        code = triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory for `%s`", path);
        break;
      }
      data = larger;
    }
    size += fread(data + size, 1, room - size, file);
    if (ferror(file))
      code = triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_READ, "cannot read `%s`: %s", path, strerror(errno));
  }
  (void)fclose(file);
  if (code == TRITON_BUNDLE_OK)
    code = triton_bundle_open_memory(data, size, bundle, error);
  if (code == TRITON_BUNDLE_OK)
    (*bundle)->owned = data;
  else
    free(data);
  return code;
}
#endif

void triton_bundle_close(triton_bundle *bundle) {
  uint32_t i;
  if (bundle == NULL)
    return;
#ifdef TRITON_BUNDLE_RUNS_CPU
  for (i = 0; bundle->files != NULL && i < bundle->header.signature_count; ++i) {
    if (bundle->libraries[i] != NULL)
      (void)dlclose(bundle->libraries[i]);
    if (bundle->files[i] != 0)
      (void)close(bundle->files[i] - 1);
  }
#else
  (void)i;
#endif
#ifdef TRITON_BUNDLE_MAPS_FILES
  if (bundle->mapping != NULL)
    (void)munmap(bundle->mapping, (size_t)bundle->header.file_bytes);
#endif
  free(bundle->checked);
  free(bundle->files);
  free(bundle->libraries);
  free(bundle->codes);
  free(bundle->parameters);
  free(bundle->tables);
  free(bundle->owned);
  free(bundle);
}

static void triton_bundle_describe(const triton_bundle *bundle, const triton_bundle_file_entry *entry,
                                   triton_bundle_kernel *kernel) {
  kernel->name = bundle->texts + entry->name;
  kernel->variant = bundle->texts + entry->variant;
  kernel->constants = bundle->texts + entry->constants;
  kernel->target = bundle->texts + entry->target;
  kernel->parameter_count = entry->parameter_count;
  kernel->parameters = bundle->parameters + entry->first_parameter;
  kernel->code_count = entry->signature_count;
  kernel->codes = bundle->codes + entry->first_signature;
}

int triton_bundle_list(const triton_bundle *bundle, size_t index, triton_bundle_kernel *kernel) {
  if (index >= bundle->header.entry_count)
    return 0;
  triton_bundle_describe(bundle, &bundle->entries[index], kernel);
  return 1;
}

size_t triton_bundle_find_item(const triton_bundle *bundle, const char *name) {
  size_t first = 0, end = bundle->header.item_count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (strcmp(bundle->texts + bundle->items[middle].name, name) < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

int triton_bundle_item(const triton_bundle *bundle, size_t index, triton_bundle_item_view *view,
                       triton_bundle_error *error) {
  const triton_bundle_file_item *item = bundle->items;
  if (index >= bundle->header.item_count)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_ITEM, "the bundle has %lu items",
                              (unsigned long)bundle->header.item_count);
  item += index;
  view->name = bundle->texts + item->name;
  view->bytes = bundle->data + item->place;
  view->size = (size_t)item->bytes;
  view->digest = item->digest;
  if (item->checksum != triton_bundle_checksum(view->bytes, view->size))
    return triton_bundle_fail(error, TRITON_BUNDLE_DAMAGED, "the bundle is damaged: `%s` has another checksum",
                              view->name);
  return TRITON_BUNDLE_OK;
}

/* Whether code is what was written, which is looked at once. */
static int triton_bundle_check_code(triton_bundle *bundle, uint32_t index, triton_bundle_error *error) {
  const triton_bundle_code *code = &bundle->codes[index];
  if (!bundle->checked[index] &&
      bundle->signatures[index].code_checksum != triton_bundle_checksum(code->bytes, code->size))
    return triton_bundle_fail(error, TRITON_BUNDLE_DAMAGED,
                              "the bundle is damaged: the code of `%s` has another checksum", code->symbol);
  bundle->checked[index] = 1;
  return TRITON_BUNDLE_OK;
}

#ifdef TRITON_BUNDLE_RUNS_CPU
#ifdef __aarch64__
/* The words of the system that say what the processor has: AT_HWCAP and AT_HWCAP2. */
static int triton_bundle_has_feature(const char *name, size_t length) {
#define TRITON_BUNDLE_FEATURE(text, word, bit)                                                                         \
  if (length == sizeof(text) - 1 && memcmp(name, text, length) == 0)                                                   \
    return (int)(getauxval(word) >> (bit) & 1);
#define TRITON_BUNDLE_REGISTERS(text, bits)                                                                            \
  if (length == sizeof(text) - 1 && memcmp(name, text, length) == 0)                                                   \
    return (prctl(51 /* PR_SVE_GET_VL */) & 0xffff) * 8 == (bits);
  if (length == 7 && memcmp(name, "aarch64", length) == 0)
    return 1;
  TRITON_BUNDLE_FEATURE("neon", 16, 1)
  TRITON_BUNDLE_FEATURE("aes", 16, 3)
  TRITON_BUNDLE_FEATURE("sha2", 16, 6)
  TRITON_BUNDLE_FEATURE("crc", 16, 7)
  TRITON_BUNDLE_FEATURE("lse", 16, 8)
  TRITON_BUNDLE_FEATURE("fullfp16", 16, 10)
  TRITON_BUNDLE_FEATURE("rdm", 16, 12)
  TRITON_BUNDLE_FEATURE("jsconv", 16, 13)
  TRITON_BUNDLE_FEATURE("complxnum", 16, 14)
  TRITON_BUNDLE_FEATURE("rcpc", 16, 15)
  TRITON_BUNDLE_FEATURE("sha3", 16, 17)
  TRITON_BUNDLE_FEATURE("dotprod", 16, 20)
  TRITON_BUNDLE_FEATURE("sve", 16, 22)
  TRITON_BUNDLE_FEATURE("fp16fml", 16, 23)
  TRITON_BUNDLE_FEATURE("rcpc-immo", 16, 26)
  TRITON_BUNDLE_FEATURE("flagm", 16, 27)
  TRITON_BUNDLE_FEATURE("sve2", 26, 1)
  TRITON_BUNDLE_FEATURE("sve2-bitperm", 26, 4)
  TRITON_BUNDLE_FEATURE("altnzcv", 26, 7)
  TRITON_BUNDLE_FEATURE("fptoint", 26, 8)
  TRITON_BUNDLE_FEATURE("f32mm", 26, 10)
  TRITON_BUNDLE_FEATURE("f64mm", 26, 11)
  TRITON_BUNDLE_FEATURE("i8mm", 26, 13)
  TRITON_BUNDLE_FEATURE("bf16", 26, 14)
  TRITON_BUNDLE_FEATURE("sme", 26, 23)
  TRITON_BUNDLE_FEATURE("sme-i16i64", 26, 24)
  TRITON_BUNDLE_FEATURE("sme-f64f64", 26, 25)
  TRITON_BUNDLE_FEATURE("cssc", 26, 34)
  TRITON_BUNDLE_FEATURE("sve2p1", 26, 36)
  TRITON_BUNDLE_FEATURE("mops", 26, 43)
  TRITON_BUNDLE_REGISTERS("sve-bits-256", 256)
  TRITON_BUNDLE_REGISTERS("sve-bits-512", 512)
#undef TRITON_BUNDLE_REGISTERS
#undef TRITON_BUNDLE_FEATURE
  return 0;
}
#else
/* The features of AMX, of which compilers do not know all names. Linux lets a process use tiles after it has asked. */
static int triton_bundle_has_tiles(const char *name, size_t length) {
  const long request_permission = 0x1023, tile_data = 18;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0, more = 0, unused = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
    return 0;
  if (length == 8 && memcmp(name, "amx-bf16", length) == 0)
    return edx >> 22 & 1;
  if (length == 8 && memcmp(name, "amx-int8", length) == 0)
    return edx >> 25 & 1;
  if (length == 8 && memcmp(name, "amx-fp16", length) == 0)
    return __get_cpuid_count(7, 1, &more, &unused, &unused, &unused) && (more >> 21 & 1);
  if (length == 8 && memcmp(name, "amx-tile", length) == 0)
    return (edx >> 24 & 1) && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return 0;
}

/* The built-in function takes only names that stand in the text of the program. */
static int triton_bundle_has_feature(const char *name, size_t length) {
#define TRITON_BUNDLE_FEATURE(text)                                                                                    \
  if (length == sizeof(text) - 1 && memcmp(name, text, length) == 0)                                                   \
    return __builtin_cpu_supports(text) != 0;
  TRITON_BUNDLE_FEATURE("sse3")
  TRITON_BUNDLE_FEATURE("ssse3")
  TRITON_BUNDLE_FEATURE("sse4.1")
  TRITON_BUNDLE_FEATURE("sse4.2")
  TRITON_BUNDLE_FEATURE("popcnt")
  TRITON_BUNDLE_FEATURE("avx")
  TRITON_BUNDLE_FEATURE("avx2")
  TRITON_BUNDLE_FEATURE("fma")
  TRITON_BUNDLE_FEATURE("f16c")
  TRITON_BUNDLE_FEATURE("bmi")
  TRITON_BUNDLE_FEATURE("bmi2")
  TRITON_BUNDLE_FEATURE("lzcnt")
  TRITON_BUNDLE_FEATURE("movbe")
  TRITON_BUNDLE_FEATURE("avx512f")
  TRITON_BUNDLE_FEATURE("avx512bw")
  TRITON_BUNDLE_FEATURE("avx512dq")
  TRITON_BUNDLE_FEATURE("avx512vl")
  TRITON_BUNDLE_FEATURE("avx512cd")
  TRITON_BUNDLE_FEATURE("avx512bf16")
  TRITON_BUNDLE_FEATURE("avx512vnni")
  TRITON_BUNDLE_FEATURE("avxvnni")
  TRITON_BUNDLE_FEATURE("avx512vbmi")
  TRITON_BUNDLE_FEATURE("avx512vbmi2")
  TRITON_BUNDLE_FEATURE("avx512fp16")
  TRITON_BUNDLE_FEATURE("gfni")
  TRITON_BUNDLE_FEATURE("vaes")
  TRITON_BUNDLE_FEATURE("vpclmulqdq")
  TRITON_BUNDLE_FEATURE("sha")
  TRITON_BUNDLE_FEATURE("avx512bitalg")
  TRITON_BUNDLE_FEATURE("avx512vpopcntdq")
#undef TRITON_BUNDLE_FEATURE
  return triton_bundle_has_tiles(name, length);
}
#endif

/* The first feature that this processor lacks; NULL: none. `count` gets the number of all. */
static const char *triton_bundle_missing_feature(const char *features, size_t *length, int *count) {
  *count = 0;
#ifdef __aarch64__
  if (strncmp(features, "aarch64", 7) != 0) { /* the code of another architecture */
    *length = 6;
    return "x86-64";
  }
#endif
  while (*features != 0) {
    *length = strcspn(features, ",");
    if (!triton_bundle_has_feature(features, *length))
      return features;
    ++*count;
    features += *length;
    features += *features == ',';
  }
  return NULL;
}

/* Loads a library from memory, which Linux does by a file without a name. The file stays open as long as the library is
 * loaded, because its path is the name by which the loader knows a library. */
static int triton_bundle_load_code(triton_bundle *bundle, uint32_t index, triton_bundle_error *error) {
  triton_bundle_code *code = &bundle->codes[index];
  const unsigned char *bytes = (const unsigned char *)code->bytes;
  const unsigned close_on_exec = 1;
  char path[64];
  size_t written = 0;
  void *library, *function;
  int file;
  if (bundle->files[index] != 0) {
    if (code->function != NULL)
      return TRITON_BUNDLE_OK;
    (void)close(bundle->files[index] - 1); /* of an attempt that failed */
  }
  /* What kernels call: as global symbols, since their libraries name none. */
  (void)dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  (void)dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
  file = (int)syscall(SYS_memfd_create, "triton-bundle", close_on_exec);
  bundle->files[index] = file + 1;
  if (file < 0)
    return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_LOAD, "cannot load `%s`: %s", code->symbol, strerror(errno));
  while (written < code->size) {
    ssize_t count = write(file, bytes + written, code->size - written);
    if (count <= 0)
      return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_LOAD, "cannot load `%s`: %s", code->symbol,
                                strerror(errno));
    written += (size_t)count;
  }
  (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_LOAD, "cannot load `%s`: %s", code->symbol, dlerror());
  function = dlsym(library, code->symbol);
  if (function == NULL) {
    (void)dlclose(library);
    return triton_bundle_fail(error, TRITON_BUNDLE_CANNOT_LOAD, "the code of `%s` does not have this function",
                              code->symbol);
  }
  bundle->libraries[index] = library;
  code->function = function;
  return TRITON_BUNDLE_OK;
}
#endif

/* How well an entry fits a device; 0: not at all. */
static int triton_bundle_fitness(const triton_bundle *bundle, const triton_bundle_file_entry *entry,
                                 triton_bundle_device device) {
  const char *architecture = bundle->texts + entry->architecture;
  if ((int)entry->backend != device.backend)
    return 0;
  if (device.backend == TRITON_BUNDLE_CUDA) {
    const int capability = (int)entry->capability;
    if (capability == device.capability)
      return capability;
    return capability < TRITON_BUNDLE_EXACT_CAPABILITY && capability / 10 == device.capability / 10 &&
                   capability < device.capability
               ? capability
               : 0;
  }
  if (device.backend == TRITON_BUNDLE_HIP) {
    const size_t length = device.architecture == NULL ? 0 : strcspn(device.architecture, ":");
    return length != 0 && strlen(architecture) == length && memcmp(architecture, device.architecture, length) == 0;
  }
#ifdef TRITON_BUNDLE_RUNS_CPU
  {
    size_t length = 0;
    int count = 0;
    const char *missing = triton_bundle_missing_feature(bundle->texts + entry->features, &length, &count);
    return missing == NULL ? count + 1 : 0;
  }
#else
  return 0;
#endif
}

static void triton_bundle_append(char *text, size_t size, const char *more) {
  const size_t length = strlen(text);
  if (length + 1 < size)
    (void)snprintf(text + length, size - length, "%s", more);
}

/* Says for which targets there is code, in place of the device. */
static int triton_bundle_refuse_device(const triton_bundle *bundle, const char *name, const char *variant,
                                       triton_bundle_device device, triton_bundle_error *error) {
  char device_name[64] = "this processor", targets[256] = "", missing[64] = "";
  uint32_t i;
  if (device.backend == TRITON_BUNDLE_CUDA)
    (void)snprintf(device_name, sizeof(device_name), "compute capability %d.%d", device.capability / 10,
                   device.capability % 10);
  else if (device.backend == TRITON_BUNDLE_HIP)
    (void)snprintf(device_name, sizeof(device_name), "`%.40s`", device.architecture == NULL ? "" : device.architecture);
  for (i = 0; i < bundle->header.entry_count; ++i) {
    const triton_bundle_file_entry *entry = &bundle->entries[i];
    if (strcmp(bundle->texts + entry->name, name) != 0 || strcmp(bundle->texts + entry->variant, variant) != 0)
      continue;
    triton_bundle_append(targets, sizeof(targets), targets[0] == 0 ? "" : ", ");
    triton_bundle_append(targets, sizeof(targets), bundle->texts + entry->target);
#ifdef TRITON_BUNDLE_RUNS_CPU
    if (device.backend == TRITON_BUNDLE_CPU && entry->backend == TRITON_BUNDLE_CPU) {
      size_t length = 0;
      int count = 0;
      const char *feature = triton_bundle_missing_feature(bundle->texts + entry->features, &length, &count);
      if (feature != NULL)
        (void)snprintf(missing, sizeof(missing), ", which lacks %.*s", (int)(length < 32 ? length : 32), feature);
    }
#endif
  }
  return triton_bundle_fail(error, TRITON_BUNDLE_NO_DEVICE,
                            "the bundle has no code of `%s` for %s%s; it has code for %s", name, device_name, missing,
                            targets);
}

/* Says which kernels or variants there are. */
static int triton_bundle_refuse_name(const triton_bundle *bundle, const char *name, const char *variant,
                                     triton_bundle_error *error) {
  char known[320] = "";
  const char *last = "";
  uint32_t i;
  int hasKernel = 0;
  for (i = 0; i < bundle->header.entry_count; ++i)
    hasKernel |= strcmp(bundle->texts + bundle->entries[i].name, name) == 0;
  for (i = 0; i < bundle->header.entry_count; ++i) {
    const triton_bundle_file_entry *entry = &bundle->entries[i];
    const char *text = bundle->texts + (hasKernel ? entry->variant : entry->name);
    if ((hasKernel && strcmp(bundle->texts + entry->name, name) != 0) || strcmp(text, last) == 0)
      continue;
    triton_bundle_append(known, sizeof(known), last[0] == 0 ? "" : ", ");
    triton_bundle_append(known, sizeof(known), text);
    last = text;
  }
  if (!hasKernel)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_KERNEL, "the bundle has no kernel `%.64s`; it has %s", name,
                              known);
  return triton_bundle_fail(error, TRITON_BUNDLE_NO_KERNEL, "the kernel `%.64s` has no variant `%.64s`; it has %s",
                            name, variant, known);
}

int triton_bundle_load(triton_bundle *bundle, const char *kernel_name, const char *variant, triton_bundle_device device,
                       triton_bundle_kernel *kernel, triton_bundle_error *error) {
  const triton_bundle_file_entry *best = NULL;
  int fitness = 0, exists = 0;
  uint32_t i;
  for (i = 0; i < bundle->header.entry_count; ++i) {
    const triton_bundle_file_entry *entry = &bundle->entries[i];
    int fits;
    if (strcmp(bundle->texts + entry->name, kernel_name) != 0)
      continue;
    if (variant == NULL)
      variant = bundle->texts + entry->variant;
    if (strcmp(bundle->texts + entry->variant, variant) != 0)
      continue;
    exists = 1;
    fits = triton_bundle_fitness(bundle, entry, device);
    if (fits > fitness) {
      fitness = fits;
      best = entry;
    }
  }
  if (!exists)
    return triton_bundle_refuse_name(bundle, kernel_name, variant == NULL ? "" : variant, error);
  if (best == NULL)
    return triton_bundle_refuse_device(bundle, kernel_name, variant, device, error);
  for (i = 0; i < best->signature_count; ++i) {
    int code = triton_bundle_check_code(bundle, best->first_signature + i, error);
    if (code != TRITON_BUNDLE_OK)
      return code;
  }
#ifdef TRITON_BUNDLE_RUNS_CPU
  for (i = 0; device.backend == TRITON_BUNDLE_CPU && i < best->signature_count; ++i) {
    int code = triton_bundle_load_code(bundle, best->first_signature + i, error);
    if (code != TRITON_BUNDLE_OK)
      return code;
  }
#endif
  triton_bundle_describe(bundle, best, kernel);
  return TRITON_BUNDLE_OK;
}

const triton_bundle_code *triton_bundle_choose(const triton_bundle_kernel *kernel, const uint64_t *arguments) {
  size_t i, j;
  for (i = 0; i < kernel->code_count; ++i) {
    const triton_bundle_code *code = &kernel->codes[i];
    int holds = 1;
    for (j = 0; holds && j < code->condition_count; ++j) {
      const uint64_t value = arguments[code->conditions[j].parameter];
      switch (code->conditions[j].kind) {
      case TRITON_BUNDLE_MULTIPLE_OF_16:
        holds = value % 16 == 0;
        break;
      case TRITON_BUNDLE_ONE:
        holds = value == 1;
        break;
      case TRITON_BUNDLE_NULL:
        holds = value == 0;
        break;
      case TRITON_BUNDLE_NOT_NULL:
        holds = value != 0;
        break;
      default:
        holds = 0;
      }
    }
    if (holds)
      return code;
  }
  return NULL;
}

size_t triton_bundle_pack(const triton_bundle_kernel *kernel, const triton_bundle_code *code, const uint64_t *arguments,
                          uint64_t *slots) {
  size_t i;
  const int isGpu = strncmp(kernel->target, "cpu", 3) != 0;
  for (i = 0; i < code->argument_count; ++i)
    slots[i] = arguments[code->arguments[i]];
  if (isGpu)
    slots[i] = slots[i + 1] = 0;
  return code->argument_count + (isGpu ? 2 : 0);
}

size_t triton_bundle_parameters(const triton_bundle_kernel *kernel, const triton_bundle_code *code, uint64_t *slots,
                                void *maps, size_t map_bytes, void **parameters) {
  const size_t behind = strncmp(kernel->target, "cpu", 3) != 0 ? 2 : 0;
  size_t i, count = 0;
  for (i = 0; i < code->argument_count; ++i)
    parameters[count++] = &slots[i];
  for (i = 0; i < code->map_count; ++i)
    parameters[count++] = (char *)maps + i * map_bytes;
  for (i = 0; i < behind; ++i)
    parameters[count++] = &slots[code->argument_count + i];
  return count;
}

/* Zeros, and NaNs of every type that is padded with them, as GPUs do it. */
const unsigned char *triton_bundle_padding(void) {
  static const unsigned char bytes[TRITON_BUNDLE_PADDING_BYTES] = {
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
      0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
  return bytes;
}

/* The value of the expression at `*word`, which moves to its end. Sets `*failed` at a division by zero. */
static int64_t triton_bundle_evaluate(const triton_bundle_code *code, const uint64_t *arguments, const int64_t **word,
                                      int *failed) {
  uint64_t stack[TRITON_BUNDLE_MAX_DEPTH + 1];
  size_t depth = 0;
  int64_t steps = *(*word)++;
  for (; steps > 0; --steps, *word += 2) {
    const int64_t kind = (*word)[0], value = (*word)[1];
    uint64_t right;
    if (kind == TRITON_BUNDLE_STEP_ARGUMENT || kind == TRITON_BUNDLE_STEP_CONSTANT) {
      stack[depth++] = kind == TRITON_BUNDLE_STEP_ARGUMENT ? arguments[code->arguments[value]] : (uint64_t)value;
      continue;
    }
    right = stack[--depth];
    if (kind == TRITON_BUNDLE_STEP_SIGN_EXTEND_32) {
      stack[depth++] = (uint64_t)(int64_t)(int32_t)(uint32_t)right;
      continue;
    }
    if (kind == TRITON_BUNDLE_STEP_DIVIDE && right == 0) {
      *failed = 1;
      right = 1;
    }
    if (kind == TRITON_BUNDLE_STEP_ADD)
      stack[depth - 1] += right;
    else if (kind == TRITON_BUNDLE_STEP_SUBTRACT || (kind == TRITON_BUNDLE_STEP_DIVIDE && right == UINT64_MAX))
      stack[depth - 1] = kind == TRITON_BUNDLE_STEP_SUBTRACT ? stack[depth - 1] - right : 0 - stack[depth - 1];
    else if (kind == TRITON_BUNDLE_STEP_MULTIPLY)
      stack[depth - 1] *= right;
    else
      stack[depth - 1] = (uint64_t)((int64_t)stack[depth - 1] / (int64_t)right);
  }
  return (int64_t)stack[0];
}

int triton_bundle_describe_map(const triton_bundle_code *code, size_t index, const uint64_t *arguments,
                               uint64_t padding, triton_bundle_map *map) {
  const int64_t limit = INT64_C(1) << 40, *word = code->maps, *head;
  int failed = 0, is_empty = 0;
  uint32_t place;
  for (; index > 0; --index) {
    int64_t expressions = triton_bundle_expressions_of_map(&word);
    for (; expressions > 0; --expressions)
      word += 1 + 2 * *word;
  }
  head = word;
  (void)triton_bundle_expressions_of_map(&word);
  memset(map, 0, sizeof(*map));
  map->type = (uint32_t)head[TRITON_BUNDLE_WORD_TYPE];
  map->rank = (uint32_t)head[TRITON_BUNDLE_WORD_RANK];
  map->swizzle = (uint32_t)head[TRITON_BUNDLE_WORD_SWIZZLE];
  map->fill = (uint32_t)head[TRITON_BUNDLE_WORD_FILL];
  map->address = (uint64_t)triton_bundle_evaluate(code, arguments, &word, &failed);
  for (place = map->rank; place-- > 0;) {
    const int64_t extent = triton_bundle_evaluate(code, arguments, &word, &failed);
    is_empty |= extent <= 0;
    map->sizes[place] = (uint64_t)extent;
    map->box[place] = (uint32_t)head[TRITON_BUNDLE_WORDS_OF_MAP + map->rank - 1 - place];
    map->steps[place] = 1;
  }
  for (place = map->rank; place-- > 1;) {
    const int64_t stride = triton_bundle_evaluate(code, arguments, &word, &failed);
    const int matters = !is_empty && map->sizes[place] != 1;
    failed |= matters && (stride < 0 || stride >= limit);
    map->strides[place - 1] = matters && !failed ? (uint64_t)(stride * head[TRITON_BUNDLE_WORD_ELEMENT_BYTES]) : 16;
  }
  if (is_empty) {
    map->address = padding + (map->fill == 0 ? 0 : TRITON_BUNDLE_PADDING_BYTES / 2);
    for (place = 0; place < map->rank; ++place)
      map->sizes[place] = 1;
  }
  return failed ? TRITON_BUNDLE_NO_MAP : TRITON_BUNDLE_OK;
}

int triton_bundle_run_some(const triton_bundle_kernel *kernel, const triton_bundle_code *code,
                           const uint64_t *arguments, const int32_t grid[3], int64_t begin, int64_t end) {
  typedef void (*programs)(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch);
  uint64_t slots[TRITON_BUNDLE_MAX_ARGUMENTS];
  char *memory, *scratch;
  programs function;
  if (begin >= end)
    return TRITON_BUNDLE_OK;
  if (code->function == NULL)
    return TRITON_BUNDLE_CANNOT_LOAD;
  memory = (char *)malloc((size_t)code->scratch_bytes + 64);
  if (memory == NULL)
    return TRITON_BUNDLE_NO_MEMORY;
  scratch = memory + (64 - (uintptr_t)memory % 64);
  (void)triton_bundle_pack(kernel, code, arguments, slots);
  memcpy(&function, &code->function, sizeof(function)); /* NOLINT(bugprone-bitwise-pointer-cast): C has no other way */
  function(slots, grid, begin, end, scratch);
  free(memory);
  return TRITON_BUNDLE_OK;
}

int triton_bundle_run(const triton_bundle_kernel *kernel, const triton_bundle_code *code, const uint64_t *arguments,
                      int32_t x, int32_t y, int32_t z) {
  int32_t grid[3];
  grid[0] = x;
  grid[1] = y;
  grid[2] = z;
  if (x <= 0 || y <= 0 || z <= 0)
    return TRITON_BUNDLE_OK;
  return triton_bundle_run_some(kernel, code, arguments, grid, 0, (int64_t)x * y * z);
}

#ifdef __cplusplus
}
#endif
#endif /* TRITON_BUNDLE_IMPLEMENTATION */
#endif /* TRITON_BUNDLE_H */

/* The library of the package `nereid_runtime`. */
#define TRITON_BUNDLE_IMPLEMENTATION
#include <triton/launch.h>

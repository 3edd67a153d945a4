/* A library in the place of HIP's for programs that load it when they run: the functions of hip.c, and those that open a
   device. */
#include "hip.c"

enum { shared_attribute = 74 };
int fake_devices = 2, fake_initialized = 0, fake_current = 0;
char fake_architecture[64] = "gfx942:sramecc+:xnack-";

hipError_t hipInit(unsigned flags) {
  fake_initialized = flags == 0;
  return hipSuccess;
}

const char *hipGetErrorString(hipError_t error) {
  const char *text = "unspecified";
  (void)hipDrvGetErrorString(error, &text);
  return text;
}

hipError_t hipGetDeviceCount(int *count) {
  *count = fake_devices;
  return fake_initialized ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetDevice(int *device) {
  *device = fake_current;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= fake_devices)
    return hipErrorInvalidValue;
  fake_current = device;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) {
  *value = fake_most_shared;
  return attribute == shared_attribute && device < fake_devices ? hipSuccess : hipErrorInvalidValue;
}

/* The name of the device begins as architectures do. */
hipError_t hipGetDevicePropertiesR0600(void *properties, int device) {
  char *text = (char *)properties;
  memset(text, 0x55, 1472);
  strcpy(text, "gfx-card");
  strcpy(text + 1160, fake_architecture);
  return device < fake_devices ? hipSuccess : hipErrorInvalidValue;
}

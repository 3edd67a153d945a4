// The parts of DLPack's stable C interface (version 1) that reading a tensor's address needs.
#pragma once

#include <cstdint>

namespace triton::python::dlpack {

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, Rocm = 10, RocmHost = 11, CudaManaged = 13 };

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E4M3FNUZ = 11,
  Float8E5M2 = 12,
  Float8E5M2FNUZ = 13
};

struct Device {
  int32_t type, id;
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct Version {
  uint32_t major, minor;
};

/// What a capsule named "dltensor_versioned" holds. A capsule named "dltensor" holds something that begins with a
/// Tensor.
struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *);
  uint64_t flags;
  Tensor tensor;
};
constexpr uint64_t isReadOnlyFlag = 1, isCopiedFlag = 2;

/// The table of functions in a type's `__dlpack_c_exchange_api__` capsule. They return 0, or set a Python exception.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous;
  void *allocate, *exportManaged, *import;
  int (*view)(void *object, Tensor *out); ///< fills a tensor that the object goes on owning; may be null
  int (*currentStream)(DeviceType type, int32_t device, void **stream);
};

} // namespace triton::python::dlpack

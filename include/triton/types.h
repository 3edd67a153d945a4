// Element types of the kernel language and their C++ counterparts.
#pragma once

#if __cplusplus < 202002L
#error "the headers of Triton need C++20 or later; compile with -std=c++20"
#endif

#include <bit>
#include <cstdint>
#include <type_traits>

#define TRITON_API __attribute__((visibility("default")))

namespace triton {

/// An element type, as `tl.float32` names one.
enum class DataType : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E5,
  Float8E5B16,
  Float8E4NV,
  Float8E4B8,
  Float8E4B15,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// The names of `triton.language`.
namespace dtype {
inline constexpr DataType void_ = DataType::Void;
inline constexpr DataType int1 = DataType::Int1;
inline constexpr DataType int8 = DataType::Int8;
inline constexpr DataType int16 = DataType::Int16;
inline constexpr DataType int32 = DataType::Int32;
inline constexpr DataType int64 = DataType::Int64;
inline constexpr DataType uint8 = DataType::UInt8;
inline constexpr DataType uint16 = DataType::UInt16;
inline constexpr DataType uint32 = DataType::UInt32;
inline constexpr DataType uint64 = DataType::UInt64;
inline constexpr DataType float8e5 = DataType::Float8E5;
inline constexpr DataType float8e5b16 = DataType::Float8E5B16;
inline constexpr DataType float8e4nv = DataType::Float8E4NV;
inline constexpr DataType float8e4b8 = DataType::Float8E4B8;
inline constexpr DataType float8e4b15 = DataType::Float8E4B15;
inline constexpr DataType float16 = DataType::Float16;
inline constexpr DataType bfloat16 = DataType::BFloat16;
inline constexpr DataType float32 = DataType::Float32;
inline constexpr DataType float64 = DataType::Float64;
} // namespace dtype

/// 16-bit and 8-bit floats as their bits, which is what arrays of them hold.
struct half {
  uint16_t bits = 0;
  half() = default;
  explicit half(float value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  explicit operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
};
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  /// Rounds to nearest, ties to even; a NaN stays a NaN.
  explicit bfloat16(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    bits = value != value ? uint16_t(word >> 16 | 0x40) : uint16_t((word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};
struct float8e5 {
  uint8_t bits = 0;
};
struct float8e4nv {
  uint8_t bits = 0;
};

/// The element type that an array of T holds.
template <typename T> constexpr DataType dataTypeOf() {
  if constexpr (std::is_same_v<T, bool>) {
    return DataType::Int1;
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, _Float16>) {
    return DataType::Float16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return DataType::BFloat16;
  } else if constexpr (std::is_same_v<T, float8e5>) {
    return DataType::Float8E5;
  } else if constexpr (std::is_same_v<T, float8e4nv>) {
    return DataType::Float8E4NV;
  } else if constexpr (std::is_same_v<T, float>) {
    return DataType::Float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DataType::Float64;
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                  "no element type of the kernel language corresponds to T; use triton::pointer(address, dtype)");
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return DataType(int(std::is_unsigned_v<T> ? DataType::UInt8 : DataType::Int8) + width);
  }
}

} // namespace triton

#include "aot/BundleFormat.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cstddef>
#include <cstring>

using namespace triton;
using namespace triton::aot;

static_assert(std::endian::native == std::endian::little, "the tables are written as they are in memory");
static_assert(sizeof(triton_bundle_file_header) == 64 && sizeof(triton_bundle_file_entry) == 48 &&
              sizeof(triton_bundle_file_signature) == 64 && sizeof(triton_bundle_file_parameter) == 8 &&
              sizeof(triton_bundle_condition) == 8);

static constexpr std::size_t codeAlignment = 64;

uint32_t BundleFormat::text(const std::string &value) {
  auto [it, isNew] = places.try_emplace(value, uint32_t(texts.size()));
  if (isNew)
    texts.append(value.c_str(), value.size() + 1);
  return it->second;
}

uint64_t BundleFormat::code(const std::string &bytes) {
  uint64_t place = codes.size();
  codes += bytes;
  codes.resize(llvm::alignTo(codes.size(), codeAlignment));
  return place;
}

template <typename Record> static void append(std::string &file, const std::vector<Record> &table) {
  file.append(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(Record));
}

static uint64_t checksum(llvm::StringRef bytes) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001B3u;
  return hash;
}

std::string BundleFormat::finish() const {
  std::size_t tables = signatures.size() * sizeof(signatures[0]) + words.size() * sizeof(words[0]) +
                       entries.size() * sizeof(entries[0]) + parameters.size() * sizeof(parameters[0]) +
                       arguments.size() * sizeof(arguments[0]) + conditions.size() * sizeof(conditions[0]) +
                       texts.size();
  triton_bundle_file_header header{};
  uint64_t codesAt = llvm::alignTo(sizeof(header) + tables, codeAlignment);
  std::memcpy(header.magic, TRITON_BUNDLE_MAGIC, sizeof(header.magic));
  header.version = TRITON_BUNDLE_VERSION;
  header.header_bytes = sizeof(header);
  header.file_bytes = codesAt + codes.size();
  header.entry_count = uint32_t(entries.size());
  header.parameter_count = uint32_t(parameters.size());
  header.signature_count = uint32_t(signatures.size());
  header.argument_count = uint32_t(arguments.size());
  header.condition_count = uint32_t(conditions.size());
  header.word_count = uint32_t(words.size());
  header.text_bytes = uint32_t(texts.size());
  std::vector<triton_bundle_file_signature> placed = signatures;
  for (triton_bundle_file_signature &signature : placed)
    signature.code += codesAt;

  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  append(file, placed);
  append(file, words);
  append(file, entries);
  append(file, parameters);
  append(file, arguments);
  append(file, conditions);
  file += texts;
  file.resize(codesAt);
  file += codes;
  uint64_t sum = checksum(llvm::StringRef(file).drop_front(offsetof(triton_bundle_file_header, file_bytes)));
  file.replace(offsetof(triton_bundle_file_header, checksum), sizeof(sum), reinterpret_cast<const char *>(&sum),
               sizeof(sum));
  return file;
}

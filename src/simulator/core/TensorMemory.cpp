#include "simulator/core/TensorMemory.h"

#include "simulator/core/VectorClock.h"

#include <algorithm>

namespace triton::simulator {

std::optional<unsigned> TensorMemory::reserve(unsigned count, uint32_t location) {
  unsigned first = 0;
  for (const auto &[start, reservation] : reservations) {
    if (start >= first + count)
      break;
    first = start + reservation.count;
  }
  if (first + count > columns)
    return std::nullopt;
  reservations[first] = {count, location};
  return first;
}

bool TensorMemory::release(unsigned first, unsigned count) {
  auto found = reservations.find(first);
  if (found == reservations.end() || found->second.count != count)
    return false;
  reservations.erase(found);
  for (unsigned part = 0; part < parts; ++part)
    for (unsigned column = first; column < first + count; ++column)
      shadow(part, column) = {};
  return true;
}

unsigned TensorMemory::reservedColumns() const {
  unsigned total = 0;
  for (const auto &[first, reservation] : reservations)
    total += reservation.count;
  return total;
}

std::optional<uint32_t> TensorMemory::firstReservation() const {
  return reservations.empty() ? std::nullopt : std::optional(reservations.begin()->second.location);
}

bool TensorMemory::isReserved(unsigned first, unsigned count) const {
  auto next = reservations.upper_bound(first);
  if (next == reservations.begin())
    return false;
  const auto &[start, reservation] = *std::prev(next);
  return first + count <= start + reservation.count;
}

TensorMemory::Outcome TensorMemory::read(unsigned part, unsigned column, Agent reader, const WarpClock &clock) {
  Shadow &place = shadow(part, column);
  if (place.writer.time == 0)
    return Outcome::Unwritten;
  if (!isSeen(place.writer, reader, clock))
    return outcomeOf(place.writer, clock);
  auto own = std::find_if(place.readers.begin(), place.readers.end(),
                          [&](const Agent &other) { return other.number == reader.number; });
  if (own != place.readers.end())
    own->time = reader.time;
  else
    place.readers.push_back(reader);
  return Outcome::Fine;
}

TensorMemory::Outcome TensorMemory::write(unsigned part, unsigned column, Agent writer, const WarpClock &clock) {
  Shadow &place = shadow(part, column);
  Outcome outcome = Outcome::Fine;
  if (!isSeen(place.writer, writer, clock))
    outcome = outcomeOf(place.writer, clock);
  for (const Agent &reader : place.readers)
    if (!isSeen(reader, writer, clock))
      outcome = std::max(outcome, outcomeOf(reader, clock));
  place.writer = writer;
  place.readers.clear();
  return outcome;
}

} // namespace triton::simulator

// Marks of the profiler in kernels: operations `tt.get_time` with one of these attributes, a name. Each begin has its
// end in the same block. They are removed or replaced before the first stage (compiler/ProfileScopes.h).
#pragma once

namespace triton::tt {

inline constexpr char scopeBeginAttribute[] = "tt.scope_begin", scopeEndAttribute[] = "tt.scope_end";
inline constexpr char eventBeginAttribute[] = "tt.event_begin", eventEndAttribute[] = "tt.event_end";
/// On a reading of the clock: each thread reads a counter of cycles of its own, of which only differences mean
/// something.
inline constexpr char cyclesAttribute[] = "tt.cycles";
/// On an atomic addition for GPUs, which then does something else: its pointer is that of the program's buffers, one
/// for each unit of warps, and its value is when a scope began. The first lane of each unit counts the record in the
/// buffer's first word, and writes the scope, its begin and the present time.
inline constexpr char recordAttribute[] = "tt.profile_record";

/// The numbers of that attribute, an array of i64; the units that record follow, or none for all.
struct RecordNumbers {
  enum : unsigned { Scope, Room, KeepsLatest, WarpsOfUnit, FirstSelected };
};

} // namespace triton::tt

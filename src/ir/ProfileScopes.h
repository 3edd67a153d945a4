// Marks of the profiler in kernels: operations `tt.get_time` with one of these attributes, a name. Each begin has its
// end in the same block. They are removed or replaced before the first stage (compiler/ProfileScopes.h).
#pragma once

namespace triton::tt {

inline constexpr char scopeBeginAttribute[] = "tt.scope_begin", scopeEndAttribute[] = "tt.scope_end";
inline constexpr char eventBeginAttribute[] = "tt.event_begin", eventEndAttribute[] = "tt.event_end";
/// On a reading of the clock: each thread reads a counter of cycles of its own, of which only differences mean
/// something.
inline constexpr char cyclesAttribute[] = "tt.cycles";

} // namespace triton::tt

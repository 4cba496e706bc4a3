#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Number of calls since the program started, by all of its threads.
struct counts {
    /// Blocks that the allocator handed out.
    uint64_t allocations;
    uint64_t retains;
    uint64_t releases;
    /// Look-ups of generic types, of associated types and of conformances.
    uint64_t lookups;
    uint64_t casts;
    /// Checks that nobody else accesses a variable.
    uint64_t accesses;
    uint64_t tasks;
    /// Calls that read from files.
    uint64_t reads;
};

/// Reads the numbers. Returns false if the counting library is not loaded.
bool counts_read(struct counts *counts);

/// Starts the program again with the counting library, on one processor, with the same hash values in every run. Returns
/// only if that fails.
void counts_restart(const char *library, char *const arguments[]);

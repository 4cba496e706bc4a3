#pragma once

#include <stdint.h>

/// Bytes handed out by the allocator and not given back; negative where the allocator does not tell.
int64_t heap_in_use(void);

/// Has the allocator keep what is freed, so that figures show the program, and not the system clearing pages for it.
void heap_keep_freed(void);

#include "heap.h"
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

int64_t heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

void heap_keep_freed(void) {
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 64 << 20);
}
#else
int64_t heap_in_use(void) { return -1; }

void heap_keep_freed(void) {}
#endif

// Counts calls of the allocator and of Swift's runtime while it is loaded before all other libraries (LD_PRELOAD).
// `make bench-guard` builds it. The program reads the totals through CCounts.
//
// Each function of the runtime is replaced by one of the same name that adds one to its group's total and jumps on to
// the real function. It is in assembly language, because the runtime's functions have calling conventions of their own:
// it changes no register.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) || !defined(__GLIBC__)
#error "Counting needs glibc on x86-64."
#endif

// In the order of `struct counts` in CCounts.
enum { allocations, retains, releases, lookups, casts, accesses, tasks, reads, groups };

__attribute__((visibility("hidden"))) uint64_t counting_totals[groups];

void pigeon_read_counts(uint64_t *totals) {
    for (int group = 0; group < groups; group++) {
        totals[group] = __atomic_load_n(&counting_totals[group], __ATOMIC_RELAXED);
    }
}

// A function of the runtime, and its group.
#define FUNCTIONS(F)                                       \
    F(swift_retain, retains)                               \
    F(swift_retain_n, retains)                             \
    F(swift_bridgeObjectRetain, retains)                   \
    F(swift_bridgeObjectRetain_n, retains)                 \
    F(swift_release, releases)                             \
    F(swift_release_n, releases)                           \
    F(swift_bridgeObjectRelease, releases)                 \
    F(swift_bridgeObjectRelease_n, releases)               \
    F(swift_getGenericMetadata, lookups)                   \
    F(swift_getAssociatedTypeWitness, lookups)             \
    F(swift_getAssociatedConformanceWitness, lookups)      \
    F(swift_getWitnessTable, lookups)                      \
    F(swift_getTupleTypeMetadata, lookups)                 \
    F(swift_getTupleTypeMetadata2, lookups)                \
    F(swift_getTupleTypeMetadata3, lookups)                \
    F(swift_getFunctionTypeMetadata, lookups)              \
    F(swift_getFunctionTypeMetadata1, lookups)             \
    F(swift_getExtendedExistentialTypeMetadata, lookups)   \
    F(swift_getOpaqueTypeConformance2, lookups)            \
    F(swift_getTypeByMangledNameInContext2, lookups)       \
    F(swift_getTypeByMangledNameInContextInMetadataState2, lookups) \
    F(swift_conformsToProtocol, lookups)                   \
    F(swift_conformsToProtocol2, lookups)                  \
    F(swift_dynamicCast, casts)                            \
    F(swift_dynamicCastClass, casts)                       \
    F(swift_dynamicCastClassUnconditional, casts)          \
    F(swift_dynamicCastMetatype, casts)                    \
    F(swift_beginAccess, accesses)                         \
    F(swift_task_create, tasks)                            \
    F(read, reads)                                         \
    F(pread, reads)                                        \
    F(pread64, reads)

#define NUMBER(name, group) number_of_##name,
enum { FUNCTIONS(NUMBER) functions };

__attribute__((visibility("hidden"))) void *counting_real[functions];

#define FORWARD(name, group)                                                           \
    __attribute__((naked)) void name(void) {                                           \
        __asm__("lock incq counting_totals+%c0(%%rip)\n\tjmpq *counting_real+%c1(%%rip)" \
                : : "i"(group * 8), "i"(number_of_##name * 8));                        \
    }
FUNCTIONS(FORWARD)

// The library is linked with `initfirst`, so this runs before any code that could call the functions.
#define FIND(name, group) counting_real[number_of_##name] = dlsym(RTLD_NEXT, #name);
__attribute__((constructor)) static void find(void) { FUNCTIONS(FIND) }

// The allocator. glibc exports its functions by a second name, so there is nothing to look up.

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static void count_allocation(void) { __atomic_fetch_add(&counting_totals[allocations], 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    count_allocation();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_allocation();
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    count_allocation();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_allocation();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count_allocation();
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

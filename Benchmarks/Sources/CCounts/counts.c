#define _GNU_SOURCE
#include "counts.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

bool counts_read(struct counts *counts) {
    static void (*read_counts)(uint64_t *);
    if (!read_counts) read_counts = (void (*)(uint64_t *))dlsym(RTLD_DEFAULT, "pigeon_read_counts");
    if (!read_counts) return false;
    read_counts((uint64_t *)counts);
    return true;
}

void counts_restart(const char *library, char *const arguments[]) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(sched_getcpu(), &processors);
    if (sched_setaffinity(0, sizeof processors, &processors) != 0) return;
    setenv("LD_PRELOAD", library, 1);
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    execv("/proc/self/exe", arguments);
}
#else
bool counts_read(struct counts *counts) { return false; }

void counts_restart(const char *library, char *const arguments[]) {}
#endif

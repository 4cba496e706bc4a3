#include "CFutex.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// `errno` is restored: a lock must not change what the caller is about to read from it.

void pigeon_futex_wait(uint32_t *word, uint32_t expected) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = before;
}

void pigeon_futex_wake_one(uint32_t *word) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = before;
}

#endif

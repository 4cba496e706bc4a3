#include "CFutex.h"

#if defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// The operations within one process, as the kernel numbers them: FUTEX_WAIT_PRIVATE and FUTEX_WAKE_PRIVATE. Systems without the
// kernel's headers have no <linux/futex.h>.
enum { wait_private = 128, wake_private = 129 };

// `errno` is restored: a lock must not change what the caller is about to read from it.

void pigeon_futex_wait(uint32_t *word, uint32_t expected) {
    int before = errno;
    syscall(SYS_futex, word, wait_private, expected, NULL, NULL, 0);
    errno = before;
}

void pigeon_futex_wake_one(uint32_t *word) {
    int before = errno;
    syscall(SYS_futex, word, wake_private, 1, NULL, NULL, 0);
    errno = before;
}

uintptr_t pigeon_this_thread(void) { return (uintptr_t)pthread_self(); }

#endif

#ifndef PIGEON_CFUTEX_H
#define PIGEON_CFUTEX_H

#include <stdint.h>

// Linux: the kernel's side of a lock. Swift cannot call `syscall`, because it has a variable number of arguments.

/// Sleeps until the word is woken, unless it no longer has the expected value. May return earlier.
void pigeon_futex_wait(uint32_t *_Nonnull word, uint32_t expected);

/// Wakes one thread that sleeps at the word.
void pigeon_futex_wake_one(uint32_t *_Nonnull word);

/// Identifies the calling thread.
uintptr_t pigeon_this_thread(void);

/// Tells the processor that the thread waits in a loop.
static inline void pigeon_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

#endif

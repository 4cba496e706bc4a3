#if canImport(os)
    internal import os

    /// A number that any thread can read and set. A lock guards it, because Swift has no atomics on Apple systems older
    /// than 2024.
    package struct AtomicNumber: Sendable {
        private let number: OSAllocatedUnfairLock<UInt64>

        package init(_ number: UInt64 = 0) {
            self.number = OSAllocatedUnfairLock(initialState: number)
        }

        /// The number. What a thread did before it set the number is visible to a thread that reads it.
        package var value: UInt64 { number.withLock { $0 } }

        package func set(_ new: UInt64) {
            number.withLock { $0 = new }
        }

        /// Adds 1, and returns the result.
        package func increment() -> UInt64 {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }
#else
    internal import Synchronization

    /// A number that any thread can read and set, without a lock.
    package struct AtomicNumber: ~Copyable, Sendable {
        private let number: Atomic<UInt64>

        package init(_ number: UInt64 = 0) {
            self.number = Atomic(number)
        }

        /// The number. What a thread did before it set the number is visible to a thread that reads it.
        package var value: UInt64 { number.load(ordering: .acquiring) }

        package borrowing func set(_ new: UInt64) {
            number.store(new, ordering: .releasing)
        }

        /// Adds 1, and returns the result.
        package borrowing func increment() -> UInt64 {
            number.add(1, ordering: .relaxed).newValue
        }
    }
#endif

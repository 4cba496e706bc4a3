/// A value of any type, boxed so that an entry can hold it without knowing its type.
///
/// Immutable. The entry never looks into the value. Callers compare, copy and release it outside locks.
@usableFromInline
package class Payload: @unchecked Sendable {  // subclasses hold one immutable Sendable value
    package init() {}

    /// The payload that stands for "no value".
    package static let nothing = Payload()

    /// True if both hold equal values. Calls user code, so it must not be called under a lock.
    package func isEqual(to other: Payload) -> Bool { self === other }

    /// Estimated size of the value in memory, in bytes.
    package var estimatedCost: Int { 0 }

    /// The value. `nil` for ``nothing``.
    package var content: (any Sendable)? { nil }
}

@usableFromInline
package final class PayloadOf<Value: Sendable>: Payload, @unchecked Sendable {  // `value` is immutable and Sendable
    @usableFromInline package let value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package override func isEqual(to other: Payload) -> Bool {
        if self === other { return true }
        guard let mine = value as? any Equatable, let other = other as? PayloadOf<Value> else { return false }
        return mine.equals(other.value)
    }

    package override var estimatedCost: Int { ValueCost.estimate(value) }

    package override var content: (any Sendable)? { value }
}

extension Equatable {
    /// True if `other` has the same type and is equal.
    func equals(_ other: Any) -> Bool {
        (other as? Self) == self
    }
}

/// A boxed error. Takes one word in the entry, and is released outside locks like every user value.
///
/// Each fetch that fails makes its own, so two are equal only if they are the failure of one fetch.
@usableFromInline
package final class Failure: Sendable, Equatable {
    package let error: any Error

    package init(_ error: any Error) {
        self.error = error
    }

    @usableFromInline
    package static func == (one: Failure, other: Failure) -> Bool { one === other }
}

/// A value of any type, boxed so that the machine can carry it without knowing it.
///
/// Immutable, and never looked into by the machine: whoever compares, copies or frees the value does so outside locks.
@usableFromInline
package class Payload: @unchecked Sendable {  // subclasses hold one immutable Sendable value
    package init() {}

    /// What there is to tell where no value is.
    package static let nothing = Payload()

    /// Whether both hold equal values. Calls user code: never under a lock.
    package func isEqual(to other: Payload) -> Bool { self === other }

    /// What the value takes in memory, estimated.
    package var estimatedCost: Int { 0 }
}

/// A boxed value.
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
}

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool {
        (other as? Self) == self
    }
}

/// A boxed error. One word in the entry, and freed outside locks like every user value.
@usableFromInline
package final class Failure: Sendable {
    package let error: any Error

    package init(_ error: any Error) {
        self.error = error
    }
}

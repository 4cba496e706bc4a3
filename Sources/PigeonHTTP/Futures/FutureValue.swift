/// The object that the owner of a future has: a ``ResponseFuture`` or a ``Promise``.
typealias FutureHandle = any AnyObject & Sendable

/// A future's value, among those who do not know its type.
typealias AnyFutureValue = any AnyObject & Sendable

/// A future's value. A ``FutureCore`` puts it into its machine, and takes it out.
final class FutureValue<T: Sendable>: Sendable {
    let value: T

    init(_ value: T) {
        self.value = value
    }

    /// The value that was put in.
    static func open(_ value: AnyFutureValue) -> T {
        unsafeDowncast(value, to: FutureValue<T>.self).value  // a core has but one type of value
    }
}

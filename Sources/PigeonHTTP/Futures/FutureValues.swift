internal import PigeonBase

/// The values that a whole is made of, as they come.
final class FutureValues<Values: Sendable, Whole: Sendable>: Sendable {
    private let values: Locked<Values>
    private let whole: @Sendable (Values) -> Whole?

    /// - Parameter whole: Makes the whole when nothing is missing.
    init(_ values: Values, _ whole: @escaping @Sendable (Values) -> Whole?) {
        self.values = Locked(values)
        self.whole = whole
    }

    /// Stores a value.
    ///
    /// - Returns: The whole when nothing is missing.
    func store(_ change: (inout Values) -> Void) -> Whole? {
        whole(
            values.withLock { values in
                change(&values)
                return values
            })
    }
}

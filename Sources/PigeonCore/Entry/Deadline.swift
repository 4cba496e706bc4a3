/// An optional point in time, stored in one word because every entry has several.
///
/// The latest representable time stands for `nil`.
@propertyWrapper
package struct Deadline: Sendable {
    private var nanoseconds = Int64.max

    package init() {}

    package init(wrappedValue: MonotonicInstant?) {
        self.wrappedValue = wrappedValue
    }

    package var wrappedValue: MonotonicInstant? {
        get { nanoseconds == .max ? nil : MonotonicInstant(nanoseconds: nanoseconds) }
        set { nanoseconds = newValue?.nanoseconds ?? .max }
    }
}

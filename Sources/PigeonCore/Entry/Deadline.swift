/// When something is due, if it is: an optional moment in one word, since there are as many as entries.
///
/// The end of time counts as never.
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

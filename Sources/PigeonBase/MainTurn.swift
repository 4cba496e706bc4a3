/// A turn of the main actor that comes once, however often it is asked for meanwhile.
package final class MainTurn: Sendable {
    private let isAsked = Locked(false)

    package init() {}

    /// Asks for the turn. What was asked for already does its own action, and not this one.
    package func ask(_ action: @escaping @MainActor @Sendable () -> Void) {
        let isFirst = isAsked.withLock { isAsked in
            defer { isAsked = true }
            return !isAsked
        }
        guard isFirst else { return }
        Task { @MainActor in
            isAsked.withLock { $0 = false }
            action()
        }
    }
}

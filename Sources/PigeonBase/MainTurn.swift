/// Schedules an action on the main actor. Further requests are ignored until the action runs.
package final class MainTurn: Sendable {
    private let isAsked = Locked(false)

    package init() {}

    /// Schedules an action. If an action is already scheduled, that one runs, and this one is ignored.
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

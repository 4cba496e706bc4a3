import NIOConcurrencyHelpers

/// Holds answers back until it is opened; an open gate stays open.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Runs a closure when the gate opens, at once where it is open.
    package func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLockedValue { state in
            if !state.isOpen { state.waiting.append(body) }
            return state.isOpen
        }
        if isOpen { body() }
    }

    package func open() {
        let waiting = state.withLockedValue { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for body in waiting { body() }
    }
}

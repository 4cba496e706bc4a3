package import PigeonREST

/// Does something once nothing has asked for it anew for a while.
@MainActor
package final class Debounce {
    private let wait: Duration
    private let clock: any QueryClock
    private var alarm: AlarmHandle?
    private var number = 0

    package init(_ wait: Duration, clock: any QueryClock = SystemClock()) {
        self.wait = wait
        self.clock = clock
    }

    package var isPending: Bool { alarm != nil }

    func restart(_ action: @escaping @MainActor () -> Void) {
        cancel()
        guard wait > .zero else { return action() }
        let mine = number
        alarm = clock.schedule(at: clock.now().advanced(by: wait)) { [weak self] in
            Task { @MainActor in self?.fire(mine, action) }
        }
    }

    func cancel() {
        number += 1
        alarm?.cancel()
        alarm = nil
    }

    private func fire(_ number: Int, _ action: @MainActor () -> Void) {
        guard number == self.number else { return }
        alarm = nil
        action()
    }
}

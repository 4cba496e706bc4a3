/// Tells of changes: one who listens, and whoever waits for the next.
@MainActor
final class Changes {
    var onChange: (@MainActor () -> Void)?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func tell() {
        onChange?()
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume() }
    }

    func next() async {
        await withCheckedContinuation { waiters.append($0) }
    }
}

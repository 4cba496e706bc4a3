/// Waits for the outcome of a fetch, or for the network or a turn, whose outcome is ``Payload/nothing``.
///
/// Only the first outcome counts, even if it is a cancellation. The class is not generic, because a generic class would
/// look up its own layout each time it is created and released.
final class Waiter: @unchecked Sendable {  // `outcome` is set before the latch opens, and read after that
    typealias Outcome = Result<Payload, any Error>

    private let latch = Latch()
    private var outcome: Outcome?

    /// The outcome. `nil` while there is none.
    var result: Outcome? { latch.isOpen ? outcome : nil }

    func resume(_ result: Outcome) {
        latch.open { outcome = result }
    }

    /// Waits for the outcome. Does not suspend if there is already one, as after a fetch that did not suspend.
    @discardableResult
    func value(onCancel: @escaping @Sendable () -> Void) async throws -> Payload {
        await latch.wait(onCancel: onCancel)
        guard let outcome else { throw CancellationError() }
        return try outcome.get()
    }
}

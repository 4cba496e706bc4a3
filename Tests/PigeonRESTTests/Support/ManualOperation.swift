import PigeonREST
import TestSupport

/// The operation of a request, which the test answers.
final class ManualOperation: RequestDelegate {
    private struct State {
        var calls: [String] = []
        var handler: (any RequestCompletionHandler)?
        var starting: (@Sendable () -> Void)?
        var progress = 0.0
    }

    private let state = Locked(State())

    /// The calls so far, in order.
    var calls: [String] { state.withLock { $0.calls } }

    var progress: Double {
        get { state.withLock { $0.progress } }
        set { state.withLock { $0.progress = newValue } }
    }

    /// Waits until there are at least `count` calls.
    func wait(for count: Int) async {
        await until { calls.count >= count }
    }

    /// Sets an action to run while the operation starts.
    func whenStarting(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.starting = action }
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let starting = state.withLock { state in
            state.calls.append("start")
            state.handler = completionHandler
            return state.starting
        }
        guard let starting else { return }
        starting()
        state.withLock { $0.calls.append("started") }
    }

    func cancelUnderlyingOperation() {
        state.withLock { $0.calls.append("cancel") }
    }

    func repeated() -> any RequestDelegate { self }

    func computeProgress() -> Double { progress }

    func answer(_ text: String) {
        end(with: .success(Entity(content: text, contentType: "text/plain")))
    }

    func end(with response: Response) {
        state.withLock { $0.handler }?.broadcastResponse(ResponseInfo(response: response))
    }
}

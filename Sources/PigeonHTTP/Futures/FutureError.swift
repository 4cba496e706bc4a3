/// Why a future failed by itself.
public enum FutureError: Error, Sendable, Hashable {
    /// The future's action let go of the future without ending it, so that nobody was left who could. Call
    /// `succeed(with:)`, `fail(with:)` or `cancel()` on every path of the action.
    case abandoned
}

extension FutureError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        "A future's action let go of the future without ending it: call succeed(with:), fail(with:) or cancel() on every"
            + " path of the action, or hold the future as long as it is to run."
    }
}

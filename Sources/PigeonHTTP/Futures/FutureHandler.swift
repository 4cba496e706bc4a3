/// A closure of the future's owner, with the actor it was written on. Called once; one for progress, as often as there
/// is some.
struct FutureHandler: Sendable {
    let kinds: FutureEventKinds
    let isolation: (any Actor)?
    /// Called on `isolation`.
    let call: @Sendable (FutureEvent) async throws -> Void

    init(
        _ kinds: FutureEventKinds, on isolation: (any Actor)?,
        _ call: @escaping @Sendable (FutureEvent) async throws -> Void
    ) {
        self.kinds = kinds
        self.isolation = isolation
        self.call = call
    }
}

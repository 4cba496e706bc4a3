extension ResponseFuture {
    /// Makes the future that a join goes on with, from the value so far.
    public typealias NextCallback<U: Sendable> = @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?

    // The public joins differ in how they lay out their values, and in nothing else.

    func series<U, V>(
        _ callback: @escaping NextCallback<U>, _ join: @escaping @Sendable (T, U) -> V
    ) -> ResponseFuture<V> {
        series(on: callback.isolation, { try await callback($0) }, join)
    }

    func nullableSeries<U, V>(
        _ callback: @escaping NextCallback<U>, _ join: @escaping @Sendable (T, U?) -> V
    ) -> ResponseFuture<V> {
        series(on: callback.isolation, { .optional(try await callback($0)) }, join)
    }

    func safeSeries<U, V>(
        _ callback: @escaping NextCallback<U>, _ join: @escaping @Sendable (T, Result<U, any Error>) -> V
    ) -> ResponseFuture<V> {
        series(on: callback.isolation, { try await callback($0)?.safeResult() }, join)
    }

    func safeNullableSeries<U, V>(
        _ callback: @escaping NextCallback<U>, _ join: @escaping @Sendable (T, Result<U, any Error>?) -> V
    ) -> ResponseFuture<V> {
        series(on: callback.isolation, { .optional(try await callback($0)?.safeResult()) }, join)
    }

    private func series<U, V>(
        on isolation: (any Actor)?, _ callback: @escaping @Sendable (T) async throws -> ResponseFuture<U>?,
        _ join: @escaping @Sendable (T, U) -> V
    ) -> ResponseFuture<V> {
        core.stage(of: self) { value, stage in
            guard let next = try await stage.run(on: isolation, { try await callback(value) }) else {
                return await stage.settle(.cancelled)
            }
            stage.wait(for: next.core, of: next) { outcome, stage in
                await stage.settle(outcome.map { join(value, $0) })
            }
        }
    }

    /// What all joins in parallel are made of.
    func parallel<U, V>(
        _ other: ResponseFuture<U>, _ join: @escaping @Sendable (T, U) -> V
    ) -> ResponseFuture<V> {
        ResponseFuture<V>(
            FutureCore<V> { stage in
                let values = FutureValues<(one: T?, other: U?), V>((nil, nil)) { values in
                    guard let one = values.one, let other = values.other else { return nil }
                    return join(one, other)
                }
                let legs = FutureLegs(of: stage)
                legs.add(self) { value in values.store { $0.one = .some(value) } }
                legs.add(other) { value in values.store { $0.other = .some(value) } }
                legs.start()
            })
    }

    /// The future of an optional value, `nil` at once where there is no future.
    static func optional<U>(_ future: ResponseFuture<U>?) -> ResponseFuture<T> where T == U? {
        future?.then { .some($0) } ?? ResponseFuture(result: nil)
    }
}

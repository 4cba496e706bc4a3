extension Promise {
    /// A promise with what the value is turned into. What the closure throws is its error.
    public func then<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> Promise<U, E> {
        stage { value, stage in
            switch value {
            case .success(let value):
                .success(try await stage.run(on: callback.isolation) { try await callback(value) })
            case .failure(let failure): .failure(failure)
            }
        }
    }

    /// A promise with what the failure is turned into. What the closure throws is its error.
    public func thenFailure<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> U
    ) -> Promise<T, U> {
        stage { value, stage in
            switch value {
            case .success(let value): .success(value)
            case .failure(let failure):
                .failure(try await stage.run(on: callback.isolation) { try await callback(failure) })
            }
        }
    }

    /// A future with the value, or what the failure is turned into. What the closure throws is its error.
    public func future(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> T
    ) -> ResponseFuture<T> {
        base.core.stage(of: self) { value, stage in
            switch value {
            case .success(let value): await stage.settle(.success(value))
            case .failure(let failure):
                let value = try await stage.run(on: callback.isolation) { try await callback(failure) }
                await stage.settle(.success(value))
            }
        }
    }

    /// Starts this promise and ends another one as this one ends.
    public func fulfill(_ promise: Promise<T, E>) { promise.follow(self) }

    /// Starts another promise and ends this one as that one ends.
    public func fulfill(with promise: Promise<T, E>) { follow(promise) }

    private func follow(_ source: Promise<T, E>) {
        base.core.follow(source.base.core, of: source)
        base.core.machine.retain(self)
    }

    private func stage<U, F>(
        _ next:
            @escaping @Sendable (PromiseValue<T, E>, FutureCore<PromiseValue<U, F>>) async throws
            -> PromiseValue<U, F>
    ) -> Promise<U, F> {
        Promise<U, F>(
            base.core.stage(of: self) { value, stage in
                await stage.settle(.success(try await next(value, stage)))
            })
    }
}

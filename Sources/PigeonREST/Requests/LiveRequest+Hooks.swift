extension LiveRequest {
    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request {
        add(RequestLife.Hook { [surroundings] in await surroundings.callbacks.call(callback, $0) })
    }

    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if case .success(let entity) = $0.response { await surroundings.callbacks.call(callback, entity) }
            })
    }

    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if $0.isNew, case .success(let entity) = $0.response {
                    await surroundings.callbacks.call(callback, entity)
                }
            })
    }

    func onNotModified(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if !$0.isNew, case .success = $0.response { await surroundings.callbacks.call(callback) }
            })
    }

    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if case .failure(let error) = $0.response { await surroundings.callbacks.call(callback, error) }
            })
    }

    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request {
        add(RequestLife.ProgressHook { [surroundings] in await surroundings.callbacks.call(callback, $0) })
    }
}

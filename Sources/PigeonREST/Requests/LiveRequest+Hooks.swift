extension LiveRequest {
    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request {
        add(Hook { await callback($0) })
    }

    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(Hook { if case .success(let entity) = $0.response { await callback(entity) } })
    }

    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(Hook { if $0.isNew, case .success(let entity) = $0.response { await callback(entity) } })
    }

    func onNotModified(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void
    ) -> any Request {
        add(Hook { if !$0.isNew, case .success = $0.response { await callback() } })
    }

    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request {
        add(Hook { if case .failure(let error) = $0.response { await callback(error) } })
    }

    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request {
        add(ProgressHook { await callback($0) })
    }
}

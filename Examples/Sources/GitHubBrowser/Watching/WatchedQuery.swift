import PigeonREST

/// The state of a query for a screen. It changes on the main actor only.
@MainActor
final class WatchedQuery<Value: Sendable> {
    private(set) var snapshot: Snapshot<Value>
    private let onChange: @MainActor () -> Void
    private var observer: QueryObserver<Value>?
    private var loads: [Task<Void, Never>] = []

    /// Shows what is known, and loads what is not or is old.
    init(_ definition: QueryDefinition<Value>, from client: QueryClient, onChange: @escaping @MainActor () -> Void) {
        self.onChange = onChange
        snapshot = client.snapshot(of: definition)
        observer = client.observe(definition) { [weak self] _ in
            Task { @MainActor in self?.changed() }
        }
        refresh()
    }

    var content: Value? { snapshot.value }

    var error: ResourceRequestError? { snapshot.error as? ResourceRequestError }

    /// Where nothing is known, and nothing has failed, the first load has not ended.
    var isLoading: Bool { snapshot.isFetching || !loads.isEmpty || snapshot.value == nil && snapshot.error == nil }

    /// Takes over what is known now.
    func refresh() {
        if let observer { snapshot = observer.snapshot }
    }

    private func changed() {
        guard observer != nil else { return }
        refresh()
        onChange()
    }

    func load() {
        guard let observer else { return }
        let load = Task {
            _ = try? await observer.refetch()
            loads.removeFirst()
            changed()
        }
        loads.append(load)
    }

    /// Ends the watching.
    func stop() {
        observer?.cancel()
        observer = nil
        for load in loads { load.cancel() }
    }
}

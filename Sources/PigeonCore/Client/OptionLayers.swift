/// The layers of options below those of definitions: the client's defaults, then the defaults of key prefixes in the
/// order in which they were set.
struct OptionLayers {
    typealias Change = @Sendable (inout QueryOptions) -> Void

    let defaults: ResolvedOptions
    private(set) var prefixes: [(path: QueryKey, change: Change)] = []
    /// The options of the definition that the current transaction concerns, if the defaults of a prefix apply to it.
    /// These are user code, so they are evaluated outside the lock, before the transaction.
    var prepared: ResolvedOptions?

    init(_ defaults: QueryOptions) {
        self.defaults = ResolvedOptions(defaults)
    }

    /// Sets the defaults of a path.
    ///
    /// - Returns: The previous defaults of the path, to be released outside the lock.
    mutating func set(_ change: @escaping Change, for path: QueryKey) -> Change? {
        guard let index = prefixes.firstIndex(where: { $0.path == path }) else {
            prefixes.append((path, change))
            return nil
        }
        defer { prefixes[index].change = change }
        return prefixes[index].change
    }

    /// Returns true if the options of a key must be prepared outside the lock.
    func hasPrefix(of key: QueryKey) -> Bool {
        !prefixes.isEmpty && prefixes.contains { key.isWithin($0.path) }
    }

    /// Returns the prepared options, if there are any. Otherwise resolves the options of a definition without prefixes.
    func resolve(_ changes: OptionChanges?) -> ResolvedOptions {
        if let prepared { return prepared }
        guard let changes else { return defaults }
        return resolve(changes, with: [])
    }

    /// Resolves the options of a definition with all layers. Runs user code, so it must not be called under a lock.
    func prepare(_ changes: OptionChanges?, for key: QueryKey) -> ResolvedOptions {
        resolve(changes, with: prefixes.filter { key.isWithin($0.path) }.map(\.change))
    }

    private func resolve(_ changes: OptionChanges?, with prefixes: [Change]) -> ResolvedOptions {
        var options = defaults.values
        for change in prefixes { change(&options) }
        for change in changes?.apply ?? [] { change(&options) }
        return ResolvedOptions(options)
    }
}

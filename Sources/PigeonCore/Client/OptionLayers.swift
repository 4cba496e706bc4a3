/// The layers of options below those of definitions: the client's defaults, then those of prefixes in the order in which they
/// were set.
struct OptionLayers {
    typealias Change = @Sendable (inout QueryOptions) -> Void

    let defaults: ResolvedOptions
    private(set) var prefixes: [(path: QueryKey, change: Change)] = []
    /// The options of the definition that the current transaction concerns, if prefixes have a say in them: those are user
    /// code, which was called outside the lock.
    var prepared: ResolvedOptions?

    init(_ defaults: QueryOptions) {
        self.defaults = ResolvedOptions(defaults)
    }

    /// Sets the defaults of a path.
    ///
    /// - Returns: The change before, to be released outside the lock.
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

    /// Resolves the options of a definition: prepared ones, or those without prefixes.
    func resolve(_ changes: OptionChanges?) -> ResolvedOptions {
        if let prepared { return prepared }
        guard let changes else { return defaults }
        return resolve(changes, with: [])
    }

    /// Resolves the options of a definition, with all layers. Runs user code: never under a lock.
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

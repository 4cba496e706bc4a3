/// The options of a client's definitions: the client's defaults, then the defaults of key prefixes in the order in which
/// they were set, then what a definition sets.
///
/// All changes are user code, and are called outside locks.
final class OptionLayers: Sendable {
    let defaults: ResolvedOptions
    private let state = Locked(State())

    private struct State {
        /// The defaults of paths, each with its place in the order in which the paths were first named.
        var prefixes: [QueryKey: (place: Int, change: OptionChange)] = [:]
        /// Options that were resolved before, so that definitions that are built at each use share one object.
        var known: [ResolvedOptions] = []

        /// The defaults of the paths that contain a key. Takes one look-up for each component of the key.
        func changes(for key: QueryKey) -> [OptionChange] {
            guard !prefixes.isEmpty else { return [] }
            var found: [(place: Int, change: OptionChange)] = []
            key.forEachPath { path in prefixes[path].map { found.append($0) } }
            return found.sorted { $0.place < $1.place }.map(\.change)
        }
    }

    /// The number of options that are remembered. Few programs have more kinds of queries.
    static let mostKnown = 32

    init(_ defaults: QueryOptions) {
        self.defaults = ResolvedOptions(defaults)
    }

    func set(_ change: @escaping OptionChange, for path: QueryKey) {
        let old = state.withLock { state in
            let place = state.prefixes[path]?.place ?? state.prefixes.count
            return state.prefixes.updateValue((place, change), forKey: path)
        }
        _ = old  // released outside the lock
    }

    /// Returns the options of a definition. Equal options are one object while it is remembered.
    func resolve<Value>(_ definition: QueryDefinition<Value>) -> ResolvedOptions {
        let (prefixes, known) = state.withLock { ($0.changes(for: definition.key), $0.known) }
        guard definition.overrides != nil || !prefixes.isEmpty else { return defaults }
        var options = defaults.values
        for change in prefixes { change(&options) }
        definition.overrides?.apply(to: &options)
        guard options.areData else { return ResolvedOptions(options) }
        return known.first { $0.values == options } ?? remember(options)
    }

    private func remember(_ options: QueryOptions) -> ResolvedOptions {
        let new = ResolvedOptions(options)
        let old = state.withLock { state -> ResolvedOptions? in
            state.known.append(new)
            return state.known.count > Self.mostKnown ? state.known.removeFirst() : nil
        }
        _ = old  // released outside the lock
        return new
    }
}

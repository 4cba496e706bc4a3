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
        var known: [Known] = []

        /// The defaults of the paths that contain a key. Takes one look-up for each component of the key.
        func changes(for key: QueryKey) -> [OptionChange] {
            guard !prefixes.isEmpty else { return [] }
            var found: [(place: Int, change: OptionChange)] = []
            key.forEachPath { path in prefixes[path].map { found.append($0) } }
            return found.sorted { $0.place < $1.place }.map(\.change)
        }
    }

    private struct Known {
        /// The definition's part of them, so that they are found without being resolved again. `nil` if code of the program
        /// or defaults of a path are among the layers.
        let overrides: OptionOverrides?
        let options: ResolvedOptions
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
        let overrides = definition.overrides
        let (prefixes, known) = state.withLock { state -> ([OptionChange], ResolvedOptions?) in
            let prefixes = state.changes(for: definition.key)
            guard prefixes.isEmpty else { return (prefixes, nil) }
            guard let overrides else { return ([], defaults) }
            guard overrides.areData else { return ([], nil) }
            return ([], state.known.first { $0.overrides?.setsSame(as: overrides) ?? false }?.options)
        }
        if let known { return known }
        var options = defaults.values
        for change in prefixes { change(&options) }
        overrides?.apply(to: &options)
        guard options.areData else { return ResolvedOptions(options) }
        return remember(options, of: prefixes.isEmpty ? overrides : nil)
    }

    private func remember(_ options: QueryOptions, of overrides: OptionOverrides?) -> ResolvedOptions {
        let overrides = overrides.flatMap { $0.areData ? $0 : nil }
        // Replaced options are released outside the lock.
        let (resolved, _) = state.withLock { state -> (ResolvedOptions, Known?) in
            guard let index = state.known.firstIndex(where: { $0.options.values == options }) else {
                let new = ResolvedOptions(options)
                state.known.append(Known(overrides: overrides, options: new))
                return (new, state.known.count > Self.mostKnown ? state.known.removeFirst() : nil)
            }
            let old = state.known[index]
            if let overrides { state.known[index] = Known(overrides: overrides, options: old.options) }
            return (old.options, old)
        }
        return resolved
    }
}

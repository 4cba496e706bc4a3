internal import PigeonCore

extension Resource {
    /// How the entry can be read as another type, as part of the definition.
    struct Readable: Sendable {
        let type: ObjectIdentifier
        let amend: @Sendable (QueryDefinition<Entity<any Sendable>>) -> QueryDefinition<Entity<any Sendable>>
    }

    /// Lets those who watch the entry by its key alone see the content as a type.
    func makeReadable<T: Sendable>(as type: T.Type) {
        let identity = ObjectIdentifier(type)
        let old = state.withLock { state -> QueryDefinition<Entity<any Sendable>>? in
            guard state.readable?.type != identity else { return nil }
            state.readable = Readable(type: identity) { definition in
                definition.readable(as: type) { entity, _ in ContentCast.cast(entity.content) }
            }
            defer { state.definition = nil }
            return state.definition
        }
        _ = old  // let go outside of the lock
    }
}

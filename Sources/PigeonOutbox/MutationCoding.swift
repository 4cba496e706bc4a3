public import Foundation
internal import PigeonCore

/// Converts encoded mutations before they are stored and after they are read, for instance to encrypt them.
///
/// ```swift
/// let coding = MutationCoding(seal: { try vault.encrypt($0) }, open: { try vault.decrypt($0) })
/// ```
///
/// Both functions are called on any thread. A record that cannot be opened is kept and set aside.
public struct MutationCoding: Sendable {
    let seal: @Sendable (Data) throws -> Data
    let open: @Sendable (Data) throws -> Data

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - seal: Converts an encoded mutation for the store.
    ///   - open: Converts it back.
    public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
        (self.seal, self.open) = (seal, open)
    }
}

extension Outbox {
    typealias Encoded<M> = (mutation: M, encoded: EncodedMutation, tokens: Set<UUID>)

    /// Encodes a mutation as JSON, with the server's identifiers in place of temporary ones.
    ///
    /// - Throws: ``OutboxError/notRegistered(name:)``, or an error of the encoder or of the program's coding.
    func encode<M: DurableMutation>(_ mutation: M, key: String) throws -> Encoded<M> {
        let name = name(of: M.self)
        guard types[name] == M.self else { throw OutboxError.notRegistered(name: name) }
        do {
            var (mutation, ids) = (mutation, TemporaryIDs(identifiers()))
            var data = try json(mutation, ids)
            if ids.hasAssigned {
                mutation = try read(M.self, from: data, ids)
                ids = TemporaryIDs([:])
                data = try json(mutation, ids)
            }
            var encoded = EncodedMutation(
                name: name, version: M.version, data: try setup?.coding?.seal(data) ?? data, key: key)
            encoded.temporaryIDs = ids.remaining
            return (mutation, encoded, ids.remaining)
        } catch  where CodingProblem.isProblem(error) {
            throw OutboxError.coding(name: name, reason: CodingProblem.place(of: error))
        }
    }

    /// Puts identifiers that the server has assigned into a mutation.
    ///
    /// - Parameter new: Identifiers that the outbox does not know yet.
    /// - Returns: The mutation, and the temporary identifiers that remain in it.
    func resolve<M: DurableMutation>(_ mutation: M, _ new: [AssignedID]) throws -> (mutation: M, tokens: Set<UUID>) {
        let ids = TemporaryIDs(identifiers(adding: new))
        let resolved = try read(M.self, from: json(mutation, TemporaryIDs([:])), ids)
        return (resolved, ids.remaining)
    }

    func identifiers(adding new: [AssignedID] = []) -> [UUID: Data] {
        var known = state.withLock { $0.assigned }
        for id in new where !id.isAbandoned { if let token = id.token { known[token] = id.data } }
        return known
    }

    private func json(_ mutation: any DurableMutation, _ ids: TemporaryIDs) throws -> Data {
        try TemporaryIDs.$current.withValue(ids) { try JSONEncoder().encode(mutation) }
    }

    private func read<M: DurableMutation>(_ type: M.Type, from data: Data, _ ids: TemporaryIDs) throws -> M {
        try TemporaryIDs.$current.withValue(ids) { try JSONDecoder().decode(type, from: data) }
    }

    /// Returns the temporary identifiers in a mutation that cannot be decoded, as far as its encoding shows them.
    func tokens(in encoded: EncodedMutation) -> Set<UUID> {
        guard let data = try? setup?.coding?.open(encoded.data) ?? encoded.data else { return [] }
        return TemporaryIDs.tokens(in: data)
    }

    /// Decodes a mutation, after upgrading it to its type's version.
    ///
    /// - Parameters:
    ///   - decoder: A decoder for all mutations. Making one takes as long as decoding a small mutation.
    ///   - ids: The identifiers that the server has assigned.
    func decode(
        _ encoded: EncodedMutation, with decoder: JSONDecoder, resolving ids: TemporaryIDs
    ) throws -> any DurableMutation {
        guard let type = types[encoded.name] else { throw OutboxError.notRegistered(name: encoded.name) }
        guard encoded.version <= type.version else {
            throw OutboxError.newer(name: encoded.name, version: encoded.version)
        }
        var data = try setup?.coding?.open(encoded.data) ?? encoded.data
        var version = encoded.version
        while version < type.version {
            data = try type.upgrade(data, from: version)
            version += 1
        }
        do { return try TemporaryIDs.$current.withValue(ids) { try decoder.decode(type, from: data) } } catch {
            throw OutboxError.coding(name: encoded.name, reason: CodingProblem.place(of: error))
        }
    }
}

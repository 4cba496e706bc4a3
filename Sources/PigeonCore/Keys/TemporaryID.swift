public import Foundation

/// An identifier that the program makes up until the server assigns one, for what is created offline.
///
/// ```swift
/// struct Note: Codable, Sendable {
///     var id: TemporaryID<Int>
///     var title: String
/// }
/// struct CreateNote: DurableMutation {
///     var id = TemporaryID<Int>.make()
///     var title: String
///     var scope: String? { "notes/\(id)" }
///
///     func run(_ context: MutationContext) async throws -> Note { try await context[NotesAPI.self].create(title) }
///     func optimistic(_ edits: inout OptimisticEdits) {
///         let note = Note(id: id, title: title)
///         edits.update(.notes) { $0.append(note) }
///     }
///     func assigns(_ note: Note) -> [AssignedID] { [id.becomes(note.id)] }
/// }
/// ```
///
/// The first mutation that is enqueued with a temporary identifier is its creation. All others with that identifier
/// wait for the creation, in whichever scope they are, also after a restart, and also while the creation is set aside,
/// which is to say refused by the server and kept without another attempt. They are never sent with the temporary
/// identifier. Once the creation has succeeded, the outbox decodes them again, with the server's identifier in its
/// place, and shows their edits anew. A mutation that is enqueued later is changed in the same way. A server's value
/// decodes as an assigned identifier.
///
/// If the creation is discarded, or ends without `DurableMutation.assigns(_:)` naming the identifier, the others are set
/// aside with `OutboxError.noCreation(name:)`. A new creation needs a new identifier.
///
/// It can be a component of a key. Until the server has assigned an identifier, the entry of such a key shows edits, and
/// its fetches wait, as without a network. Then those who observe it see the entry of the server's identifier instead.
///
/// From then on, a temporary identifier has the server's ``value``, text and encoding everywhere in the process. The two
/// are still not equal, because a hash must not change. Compare identifiers with ``matches(_:)``, which is true before and
/// after.
public enum TemporaryID<ID: Hashable & Sendable & Codable>: Hashable, Sendable {
    /// Made up by the program. The server does not know it.
    case temporary(UUID)
    /// Assigned by the server.
    case assigned(ID)

    /// Makes up an identifier that nothing else has.
    public static func make() -> TemporaryID { .temporary(UUID()) }

    /// The server's identifier. `nil` if it has not assigned one.
    public var value: ID? {
        switch self {
        case .assigned(let id): id
        case .temporary(let token): AssignedIDs[token].flatMap { try? Self.identifier(in: $0.data) }
        }
    }

    /// Returns true if two identifiers name the same thing: they are equal, or the server has assigned the same identifier
    /// in place of both.
    ///
    /// ```swift
    /// edits.update(.notes) { notes in
    ///     for index in notes.indices where notes[index].id.matches(id) { notes[index].title = title }
    /// }
    /// ```
    ///
    /// `==` is false between a temporary identifier, such as one that a screen still has, and the one that the server has
    /// assigned in its place.
    public func matches(_ other: TemporaryID) -> Bool {
        if self == other { return true }
        if case (.assigned, .assigned) = (self, other) { return false }
        guard let value else { return false }
        return value == other.value
    }

    private static func identifier(in data: Data) throws -> ID? {
        try JSONDecoder().decode([ID].self, from: data).first
    }

    /// Describes that the server has assigned an identifier in place of this one.
    public func becomes(_ id: ID) -> AssignedID {
        guard case .temporary(let token) = self else { return AssignedID(token: nil, data: Data()) }
        var assigned = AssignedID(token: token, data: (try? JSONEncoder().encode([id])) ?? Data())
        assigned.text = (id as? any QueryKeyComponent)?.queryKeyComponent
        return assigned
    }

    /// Describes that the server has assigned an identifier in place of this one.
    public func becomes(_ id: TemporaryID) -> AssignedID {
        guard let value = id.value else { return AssignedID(token: nil, data: Data()) }
        return becomes(value)
    }
}

/// An identifier that the server has assigned in place of a temporary one. ``TemporaryID`` makes it.
public struct AssignedID: Sendable, Hashable {
    /// The temporary identifier. `nil` if there was none.
    public let token: UUID?
    /// The server's identifier in an array, as JSON.
    public let data: Data
    /// The server's identifier as a component of a key. `nil` if only its encoding is known.
    var text: String?

    /// Creates a description, as a `MutationStore` reads it.
    public init(token: UUID?, data: Data) {
        (self.token, self.data) = (token, data)
    }

    /// Describes that the server will assign none, because the creation is gone.
    package init(abandoned token: UUID) {
        self.init(token: token, data: Data("~".utf8))
    }

    /// True if the server will assign none.
    package var isAbandoned: Bool { data.first == UInt8(ascii: "~") }

    /// The server's identifier as a component of a key. `nil` if its encoding is neither a text nor a number.
    var keyComponent: String? {
        if let text { return text }
        let decoder = JSONDecoder()
        if let texts = try? decoder.decode([String].self, from: data) { return texts.first }
        if let numbers = try? decoder.decode([Int64].self, from: data) { return numbers.first?.queryKeyComponent }
        return (try? decoder.decode([UInt64].self, from: data))?.first?.queryKeyComponent
    }

    /// Compares what a store keeps.
    public static func == (one: AssignedID, other: AssignedID) -> Bool {
        one.token == other.token && one.data == other.data
    }

    /// Hashes what a store keeps.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(token)
        hasher.combine(data)
    }
}

extension TemporaryID: Codable {
    private enum CodingKeys: String, CodingKey { case temporary }

    /// Decodes an identifier. Takes the server's identifier in place of a temporary one, if the decoder knows it.
    public init(from decoder: any Decoder) throws {
        guard let token = try? decoder.container(keyedBy: CodingKeys.self).decode(UUID.self, forKey: .temporary) else {
            self = .assigned(try ID(from: decoder))
            return
        }
        let known = TemporaryIDs.current.map { $0.find(token) } ?? AssignedIDs[token]?.data
        guard let data = known else {
            self = .temporary(token)
            return
        }
        guard let id = try? Self.identifier(in: data) else {
            // The server does not know the temporary identifier, so it must not be sent in its place.
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "The assigned identifier is of another type."))
        }
        self = .assigned(id)
    }

    /// Encodes the identifier: the server's one as itself, a temporary one as an object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .assigned(let id): try id.encode(to: encoder)
        case .temporary(let token):
            if TemporaryIDs.current == nil, let id = value { return try id.encode(to: encoder) }
            TemporaryIDs.current?.note(token)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(token, forKey: .temporary)
        }
    }
}

extension TemporaryID: CustomStringConvertible {
    /// The server's identifier, or a text that no server's identifier has.
    public var description: String {
        if let value { return "\(value)" }
        guard case .temporary(let token) = self else { return "" }
        return "~\(token.uuidString)"
    }
}

extension TemporaryID: QueryKeyComponent where ID: QueryKeyComponent {
    /// The text of the server's identifier, or a text that no server's identifier has.
    public var queryKeyComponent: String { value?.queryKeyComponent ?? description }
}

extension TemporaryIDs {
    /// Finds the temporary identifiers in a mutation that cannot be decoded.
    package static func tokens(in json: Data) -> Set<UUID> {
        var open = [try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)]
        var found: Set<UUID> = []
        while let value = open.popLast() {
            switch value {
            case let object as [String: Any]:
                let token = (object["temporary"] as? String).flatMap(UUID.init(uuidString:))
                if let token, object.count == 1 { found.insert(token) }
                open += object.values.map { $0 }
            case let array as [Any]: open += array.map { $0 }
            default: break
            }
        }
        return found
    }
}

/// The identifiers that the outbox resolves while it encodes or decodes, and those that it encountered and could not
/// resolve.
package final class TemporaryIDs: Sendable {
    /// Set during each use of a coder. The coder's own `userInfo` would be copied for each mutation.
    @TaskLocal package static var current: TemporaryIDs?

    private let assigned: [UUID: Data]
    private let unresolved = Locked<Set<UUID>>([])

    package init(_ assigned: [UUID: Data]) {
        self.assigned = assigned
    }

    /// True if a temporary identifier was encountered for which the server has assigned another.
    package var hasAssigned: Bool { remaining.contains { assigned[$0] != nil } }

    package var remaining: Set<UUID> { unresolved.withLock { $0 } }

    /// Returns the temporary identifiers that remain, and forgets them, so that the next mutation can be decoded.
    package func takeRemaining() -> Set<UUID> {
        unresolved.withLock { unresolved in
            defer { unresolved = [] }
            return unresolved
        }
    }

    func find(_ token: UUID) -> Data? {
        let data = assigned[token]
        if data == nil { note(token) }
        return data
    }

    func note(_ token: UUID) { unresolved.withLock { _ = $0.insert(token) } }
}

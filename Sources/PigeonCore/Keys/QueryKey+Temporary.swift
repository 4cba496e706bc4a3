internal import Foundation

/// The identifiers that servers have assigned in place of temporary ones, as far as this process knows. A temporary
/// identifier is unique, so all clients share them.
enum AssignedIDs {
    private static let known = Locked<[UUID: AssignedID]>([:])

    static func add(_ ids: [AssignedID]) {
        known.withLock { known in
            for id in ids where !id.isAbandoned {
                if let token = id.token, known[token] == nil { known[token] = id }
            }
        }
    }

    static subscript(token: UUID) -> AssignedID? { known.withLock { $0[token] } }
}

extension QueryKey {
    /// False for most keys that have no temporary identifier. Called for every new entry, so it only looks for a character.
    var mayBeTemporary: Bool {
        queryKeyValue.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "~")) } ?? true
    }

    /// True if the key names something that no server knows yet.
    var isTemporary: Bool { mayBeTemporary && !temporaryIDs.isEmpty }

    /// The temporary identifiers in the key, with their places in its text.
    var temporaryIDs: [(token: UUID, place: Range<String.Index>)] {
        var found: [(token: UUID, place: Range<String.Index>)] = []
        let text = queryKeyValue.utf8
        var rest = text[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "~")) {
            rest = rest[text.index(after: start)...]
            guard let end = text.index(start, offsetBy: 37, limitedBy: text.endIndex),
                let token = UUID(uuidString: String(decoding: text[text.index(after: start)..<end], as: UTF8.self))
            else { continue }
            found.append((token, start..<end))
            rest = text[end...]
        }
        return found
    }

    /// The same key with the identifiers that servers have assigned in place of temporary ones. `nil` if it has none of
    /// those.
    package var assigned: QueryKey? {
        var text = queryKeyValue
        for (token, place) in temporaryIDs.reversed() {
            guard let id = AssignedIDs[token]?.keyComponent else { continue }
            text.replaceSubrange(place, with: Self.escaped(id))
        }
        return text == queryKeyValue ? nil : QueryKey(canonical: text).adding(tags: tags)
    }
}

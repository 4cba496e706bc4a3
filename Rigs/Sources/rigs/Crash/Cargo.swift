internal import Foundation
internal import PigeonCore

/// A value that says which write it is of, and whose filler shows whether all of it is there.
struct Cargo: Codable, Sendable, Equatable {
    let owner: String
    var number: Int
    private var filler: String

    init(owner: String, number: Int, size: Int) {
        self.owner = owner
        self.number = number
        filler = Self.filler(owner, number, size)
    }

    /// Makes it the value of another write, of the same size.
    mutating func renumber(_ number: Int) {
        self = Cargo(owner: owner, number: number, size: filler.utf8.count)
    }

    /// True if it is a value that a rig once made, to its last byte.
    var isWhole: Bool { filler == Self.filler(owner, number, filler.utf8.count) }

    private static func filler(_ owner: String, _ number: Int, _ size: Int) -> String {
        let pattern = "\(owner):\(number);"
        return String(String(repeating: pattern, count: size / pattern.utf8.count + 1).prefix(size))
    }
}

extension QueryDefinition<Cargo> {
    /// A persisted value that is only written.
    static func cargo(_ key: QueryKey) -> Self {
        QueryDefinition.value(key).persisted().keepFor(.seconds(1))
    }
}

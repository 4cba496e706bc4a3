internal import Foundation
internal import PigeonCore

/// A small piece of server data.
struct User: Sendable, Codable, Equatable {
    var id: Int
    var name: String

    init(_ id: Int) {
        self.id = id
        name = "A name that is not stored inline, \(id)"
    }
}

/// About one kilobyte of JSON, different for each number.
struct Article: Sendable, Codable, Equatable {
    var id: Int
    var title: String
    var author: String
    var words: Int
    var body: String

    init(_ id: Int, edition: Int = 0) {
        self.id = id
        title = "Article number \(id), edition \(edition)"
        author = "Author \(id % 97)"
        words = 150 + id % 50
        body = String(repeating: "Carrier pigeons home at \(40_000 + id + edition) metres an hour. ", count: 20)
    }
}

/// A key of 70 bytes, as an app has that names its server, its version and its user.
func longKey(_ id: Int) -> QueryKey {
    QueryKey("api.example.com", "v2", "organisations", "pigeons", "members", "repositories", 10_000_000 + id)
}

/// The same key as text, for the floors.
func longText(_ id: Int) -> String {
    "api.example.com/v2/organisations/pigeons/members/repositories/\(10_000_000 + id)"
}

/// The numbers below `count` in an order that a processor cannot foresee, the same in every run.
func scattered(_ count: Int) -> [Int] {
    var random = SplitMix(state: 42)
    return (0..<count).shuffled(using: &random)
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

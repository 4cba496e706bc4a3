import PigeonCore

struct SimulatedValue: Codable, Sendable, Equatable {
    /// Number of the call that returned the value, or of the write that created it. Increases with time.
    var call: Int
    /// Version of the server's state. `-1` for a value that the program created.
    var version: Int
    /// The edits of mutations, those made by the server and those shown optimistically.
    var edits: [Int] = []
    /// True if answers with the same content are equal, whichever call returned them.
    var isPlain = false

    static func == (one: Self, other: Self) -> Bool {
        one.version == other.version && one.edits == other.edits && (one.isPlain || one.call == other.call)
    }
}

package struct SimulatedPage: Codable, Sendable, Equatable {
    package var call: Int
    var id: Int
    var version: Int
    var items: [Int]
    var next: Int?
    var previous: Int?
    var edits = 0
}

typealias SimulatedList = Pages<SimulatedPage, Int>

/// The parts of a value of any type that the rules check.
package struct SeenValue: Equatable {
    package var call = -1
    var version = -1
    var edits: [Int] = []
    package var pages: [SimulatedPage]?
    var nextID: Int?

    init(_ value: SimulatedValue) {
        call = value.call
        version = value.version
        edits = value.edits
    }

    init(_ list: SimulatedList) {
        pages = Array(list)
        version = pages?.map(\.version).min() ?? -1
        nextID = list.nextID
    }

    /// - Parameter version: `nil` for a value that the server never had.
    init(version: Int?, edits: [Int] = []) {
        self.version = version ?? -1
        self.edits = edits
    }
}

struct SimulatedError: TransientErrorType, Equatable {
    var statusCode: Int? = 503
    var retryAfter: Duration?
}

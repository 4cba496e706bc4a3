import PigeonCore

/// What a simulated fetch brings.
struct SimulatedValue: Codable, Sendable, Equatable {
    /// By which call it was asked, or the number of the write that made it. Grows with time.
    var call: Int
    /// Which state of the server it is. `-1` for a value that the program made.
    var version: Int
    /// The changes that mutations made, the server's and those that are shown optimistically.
    var edits: [Int] = []
    /// Whether answers with the same content are equal, whichever call brought them.
    var isPlain = false

    static func == (one: Self, other: Self) -> Bool {
        one.version == other.version && one.edits == other.edits && (one.isPlain || one.call == other.call)
    }
}

/// A page of a simulated list.
struct SimulatedPage: Codable, Sendable, Equatable {
    var call: Int
    var id: Int
    var version: Int
    var items: [Int]
    var next: Int?
    var previous: Int?
    /// How often the program edited it.
    var edits = 0
}

typealias SimulatedList = Pages<SimulatedPage, Int>

/// What the rules look at in a value, whatever its type.
struct SeenValue: Equatable {
    var call = -1
    var version = -1
    var edits: [Int] = []
    var pages: [SimulatedPage]?
    /// How a list goes on at its end.
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

/// What a simulated fetch or mutation fails with.
struct SimulatedError: TransientErrorType, Equatable {
    var statusCode: Int? = 503
    var retryAfter: Duration?
}

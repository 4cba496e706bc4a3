/// A library that does the same work as Pigeon. Each function runs one workload once, and returns the nanoseconds of one
/// operation, or `nil` if the library has no such operation.
///
/// Each adapter calls its library as that library's documentation shows it, with keys that are made at the call.
protocol Peer: Sendable {
    var name: String { get }

    /// Reads each of the cached values by its key, in another order than that in which they were created.
    func read() async throws -> Double?

    /// Fetches new keys, with a fetcher that answers at once.
    func create() async throws -> Double?

    /// Fetches keys whose values are fresh.
    func fetch() async throws -> Double?

    /// Notifies observers of one key, each of which reads the value.
    func notify() async throws -> Double?

    /// Runs a mutation whose function answers at once.
    func mutate() async throws -> Double?
}

extension Peer {
    func read() async throws -> Double? { nil }
    func create() async throws -> Double? { nil }
    func fetch() async throws -> Double? { nil }
    func notify() async throws -> Double? { nil }
    func mutate() async throws -> Double? { nil }
}

/// Sizes of the workloads, which are the same for each library.
enum Size {
    static let keys = 10_000
    static let observers = 1000
    static let writes = 100
    static let mutations = 10_000
}

struct User: Sendable, Codable, Hashable {
    var id: Int
    var name: String

    init(_ id: Int) {
        self.id = id
        name = "A name that is not stored inline, \(id)"
    }
}

/// The keys in an order that is the same in every run.
let scattered: [Int] = (0..<Size.keys).map { $0 * 7919 % Size.keys }

/// The nanoseconds of one of several operations.
func time(of count: Int, _ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return start.duration(to: .now) / .nanoseconds(1) / Double(count)
}

/// Keeps the optimizer from seeing that nobody uses `number`.
@inline(never)
@_optimize(none)
func use(_ number: Int) {}

/// Counts notifications, and adds up what they read.
final class Counter: @unchecked Sendable {  // counted up by one thread at a time
    private(set) var count = 0
    private var sum = 0

    func add(_ number: Int) {
        count += 1
        sum &+= number
    }
}

import PigeonCore

/// The server of a simulation. It has a log of states for every key, and the calls that wait for an answer.
///
/// A call is sent, then received, then answered. Its answer is the state at the time when it was received, so calls can
/// overtake each other in either direction. The network may copy a request. Each copy is received separately, and the
/// caller gets the answer that returns first.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedServer: @unchecked Sendable {  // used only by the thread that runs the simulation
    package enum Request: Sendable {
        case whole(tag: String?)
        case page(Int)
        case edit(Int, idempotencyKey: String, isIdempotent: Bool)
    }

    enum Answer: Sendable {
        case value(version: Int, edits: [Int])
        case page(SimulatedPage)
        case notModified
    }

    package struct Call: Sendable {
        /// Number of the call, in the order in which calls were sent. A copy has the number of its original.
        package let number: Int
        /// Distinguishes a copy from its original, whose `id` is its number.
        var id: Int
        package let name: String
        package let request: Request
        /// Identifies the fetch with all its attempts.
        package let origin: String
        package let attempt: Int
        let yield: (@Sendable (SimulatedValue) -> Void)?
        var received: Answer?
        let reply: SimulatedReply

        package var isCopy: Bool { id != number }
        /// True if the caller takes parts of the answer.
        package var canYield: Bool { yield != nil }
        /// True until the caller has an answer or an error. The network drops later answers.
        package var isAwaited: Bool { !reply.isOver }
    }

    struct Application: Sendable {
        let idempotencyKey: String
        /// The first call that requested the edit.
        let call: Int
        var count = 1
    }

    struct Resource: Sendable {
        /// The edits that each state includes.
        var log: [[Int]] = [[]]
        /// The items of a list by cursors, newest first. `nil` for a list of numbered pages.
        var items: [Int]?
        var version: Int { log.count - 1 }
    }

    package private(set) var open: [Call] = []
    private(set) var fetches = 0
    /// A mutation that was wrongly made twice.
    private(set) var repeated: Int?
    private var resources: [String: Resource] = [:]
    private var applied: [Int: Application] = [:]
    private var newest: [String: Int] = [:]
    private var count = 0

    package func lastAsked(_ name: String) -> Int { newest[name] ?? 0 }

    func addResource(_ name: String, items: [Int]?) { resources[name] = Resource(items: items) }

    func version(of name: String) -> Int { resources[name]?.version ?? 0 }
    func edits(of name: String) -> [Int] { resources[name]?.log.last ?? [] }
    func wasApplied(_ edit: Int) -> Bool { applications(of: edit) > 0 }
    /// Returns how often the server made an edit. More than once if the network copied the request and no idempotency
    /// key identified the copy.
    func applications(of edit: Int) -> Int { applied[edit]?.count ?? 0 }

    /// Returns a number for an event, in the order of the calls.
    package func stamp() -> Int {
        count += 1
        return count
    }

    /// The number of the next call, unless another event takes it first.
    package var nextNumber: Int { count + 1 }

    func change(_ name: String, _ choice: Int) {
        guard var resource = resources[name] else { return }
        resource.log.append(resource.log.last ?? [])
        if var items = resource.items {
            if choice % 3 == 0, items.count > 1 {
                items.remove(at: (choice / 3) % items.count)
            } else {
                items.insert((items.first ?? 0) + 1, at: 0)
            }
            resource.items = items
        }
        resources[name] = resource
    }

    func page(_ id: Int, of name: String, call: Int) -> SimulatedPage {
        resources[name]?.page(id, call: call) ?? SimulatedPage(call: call, id: id, version: 0, items: [])
    }

    // MARK: Calls

    /// Sends a call, and waits for the simulation's answer. A deaf call ignores its cancellation.
    func ask(
        _ name: String, _ request: Request, deaf: Bool, origin: String = "", attempt: Int = 1,
        yield: (@Sendable (SimulatedValue) -> Void)? = nil
    ) async throws -> (call: Int, answer: Answer) {
        let number = stamp()
        let answer: Answer = try await withCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled, !deaf { return continuation.resume(throwing: CancellationError()) }
                fetches += 1
                newest[name] = number
                open.append(
                    Call(
                        number: number, id: number, name: name, request: request, origin: origin, attempt: attempt,
                        yield: yield, received: nil, reply: SimulatedReply(continuation)))
            }
        } onCancel: {
            guard !deaf else { return }
            take(number)?.reply.send(.failure(CancellationError()))
        }
        return (number, answer)
    }

    package func call(at index: Int) -> Call? {
        open.isEmpty ? nil : open[abs(index) % open.count]
    }

    /// Copies a request in transit. The copy is received and answered separately, now or later.
    func duplicate(_ id: Int) {
        guard var copy = open.first(where: { $0.id == id }), !copy.isCopy else { return }
        copy.id = stamp()
        copy.received = nil
        open.append(copy)
    }

    private func take(_ id: Int) -> Call? {
        open.firstIndex { $0.id == id }.map { open.remove(at: $0) }
    }

    /// Receives a request, unless it has been received before. Its answer is the current state.
    func receive(_ id: Int) {
        guard let index = open.firstIndex(where: { $0.id == id }), open[index].received == nil else { return }
        open[index].received = carryOut(open[index])
    }

    /// Answers a call. Receives it first, unless it has been received before.
    func answer(_ id: Int) {
        receive(id)
        if let call = take(id), let answer = call.received { call.reply.send(.success(answer)) }
    }

    func fail(_ id: Int, with error: any Error) {
        take(id)?.reply.send(.failure(error))
    }

    private func carryOut(_ call: Call) -> Answer {
        guard var resource = resources[call.name] else { return .notModified }
        switch call.request {
        case .page(let id): return .page(resource.page(id, call: call.number))
        case .whole(let tag):
            if tag == "\(call.name) \(resource.version)" { return .notModified }
        case .edit(let number, let key, let isIdempotent):
            let first = applied[number]
            // A repeated request must have the idempotency key by which the server recognizes the edit.
            if let first, call.number != first.call, first.idempotencyKey != key || !isIdempotent { repeated = number }
            if first != nil, isIdempotent || call.number != first?.call { break }
            applied[number, default: .init(idempotencyKey: key, call: call.number, count: 0)].count += 1
            resource.log.append((resource.log.last ?? []) + [number])
            resources[call.name] = resource
        }
        return .value(version: resource.version, edits: resource.log.last ?? [])
    }
}

/// The caller's side of a request and of its copies. Takes the first answer, and drops all later ones.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedReply: @unchecked Sendable {  // used only by the thread that runs the simulation
    typealias Continuation = CheckedContinuation<SimulatedServer.Answer, any Error>

    private var continuation: Continuation?

    init(_ continuation: Continuation) { self.continuation = continuation }

    var isOver: Bool { continuation == nil }

    func send(_ result: Result<SimulatedServer.Answer, any Error>) {
        continuation.take()?.resume(with: result)
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedServer.Resource {
    func page(_ id: Int, call: Int) -> SimulatedPage {
        guard let items else {
            return SimulatedPage(
                call: call, id: id, version: version, items: [id, version], next: id < 6 ? id + 1 : nil,
                previous: id > -4 ? id - 1 : nil)
        }
        let page = Array(items.filter { $0 < id }.prefix(2))
        let hasMore = page.last.map { last in items.contains { $0 < last } } ?? false
        return SimulatedPage(call: call, id: id, version: version, items: page, next: hasMore ? page.last : nil)
    }
}

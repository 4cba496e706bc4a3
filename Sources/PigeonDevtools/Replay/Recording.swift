internal import Foundation
internal import PigeonBase
internal import PigeonCore
internal import PigeonOutbox

/// A recording of the devtools: lines of JSON, the first of which says what it is.
struct Recording {
    /// A thing that happened, at a time on the client's clock.
    enum Step {
        case event(RecordedEvent)
        case row(RecordedRow)
        case surroundings(RecordedSurroundings)
    }

    private(set) var initial: [RecordedRow] = []
    private(set) var start = Duration.zero
    private(set) var surroundingsAtStart = RecordedSurroundings(isOnline: true, isActive: true)
    private(set) var steps: [(time: Duration, step: Step)] = []
    private(set) var options: [Int: OptionsRecord] = [:]
    private(set) var runningMutations: Set<String> = []
    /// Number of events that the browser missed.
    private(set) var dropped = 0
    /// True if the page lost the connection, and received all entries again.
    private(set) var wasInterrupted = false
    /// The rows and the events of each key, and the events of each mutation, with the numbers of their steps.
    private(set) var rows: [String: [(step: Int, row: RecordedRow)]] = [:]
    private(set) var events: [String: [(step: Int, event: RecordedEvent)]] = [:]
    private(set) var mutations: [Int: [RecordedEvent]] = [:]
    /// The mutations of the outbox, which cannot be repeated: their numbers, and the names of their types.
    private(set) var durable: (numbers: Set<Int>, names: Set<String>) = ([], [])

    /// Reads a recording.
    ///
    /// - Throws: ``ReplayError``.
    init(_ data: Data) throws {
        let allLines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var lines = allLines.enumerated().filter { !$0.element.isEmpty }.makeIterator()
        guard let (_, first) = lines.next(), let head = try? JSONDecoder().decode(Head.self, from: first),
            head.type == "recording"
        else { throw ReplayError.noRecording }
        guard head.version == 1 else { throw ReplayError.otherVersion(head.version) }
        var reader = Reader(client: head.client?.id)
        while let (number, line) = lines.next() {
            do {
                reader.take(try JSONDecoder().decode(Line.self, from: line), into: &self)
            } catch {
                throw ReplayError.damaged(line: number + 1, reason: CodingProblem.place(of: error))
            }
        }
        guard reader.offset != nil else { throw ReplayError.empty }
        // After a lost connection, events come behind the entries that they led to.
        steps = steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        for (number, step) in steps.enumerated() {
            switch step.step {
            case .row(let row): rows[row.key, default: []].append((number, row))
            case .event(let event):
                if let key = event.key { events[key, default: []].append((number, event)) }
                if let mutation = event.mutationNumber { mutations[mutation, default: []].append(event) }
                if event.isOfOutbox {
                    if let mutation = event.mutationNumber { durable.numbers.insert(mutation) }
                    if let name = event.mutation { durable.names.insert(name) }
                }
            case .surroundings: break
            }
        }
    }

    private struct Head: Decodable {
        struct Client: Decodable {
            let id: Int
        }

        let type: String
        let version: Int
        let client: Client?
    }

    private struct Line: Decodable {
        private enum Key: CodingKey { case at, message, client }

        let at: Double
        let message: Message
        /// The client that sent the message. `nil` if no client did.
        let client: Int?

        init(from decoder: any Decoder) throws {
            let line = try decoder.container(keyedBy: Key.self)
            at = try line.decode(Double.self, forKey: .at)
            message = try line.decode(Message.self, forKey: .message)
            client = try line.nestedContainer(keyedBy: Key.self, forKey: .message)
                .decodeIfPresent(Int.self, forKey: .client)
        }
    }

    private enum Message: Decodable {
        case state(State)
        case entries(Entries)
        case events(Events)
        case outbox
        case other

        private enum Key: CodingKey { case type }

        init(from decoder: any Decoder) throws {
            switch try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type) {
            case "state": self = .state(try State(from: decoder))
            case "entries": self = .entries(try Entries(from: decoder))
            case "events": self = .events(try Events(from: decoder))
            case "outbox": self = .outbox
            default: self = .other
            }
        }
    }

    private struct State: Decodable {
        let now: Double
        let isOnline: Bool
        let isActive: Bool

        var surroundings: RecordedSurroundings { RecordedSurroundings(isOnline: isOnline, isActive: isActive) }
    }

    private struct Entries: Decodable {
        struct Options: Decodable {
            let id: Int
            let values: OptionsRecord
        }

        let reset: Bool?
        let more: Bool
        let rows: [RecordedRow]
        let options: [Options]?
    }

    private struct Events: Decodable {
        let dropped: Int
        let events: [RecordedEvent]
    }

    private struct Reader {
        /// The client's clock minus that of the page, in milliseconds.
        private(set) var offset: Double?
        /// The client that was recorded. `nil` for the first that is found.
        private var client: Int?
        private var hasEntries = false
        private var hasHistory = false
        private var lastEvent = 0
        private var surroundings: RecordedSurroundings?

        init(client: Int?) {
            self.client = client
        }

        mutating func take(_ line: Line, into recording: inout Recording) {
            client = client ?? line.client
            // After a switch of clients, messages of the other one still arrive.
            guard line.client == nil || line.client == client else { return }
            switch line.message {
            case .state(let state): take(state, at: line.at, &recording)
            case .entries(let entries): take(entries, at: line.at, &recording)
            case .events(let events): take(events, &recording)
            // The outbox is the last message of the initial state.
            case .outbox: hasHistory = true
            case .other: break
            }
        }

        private mutating func take(_ state: State, at time: Double, _ recording: inout Recording) {
            offset = state.now - time
            let now = Duration(recordedMilliseconds: state.now)
            if surroundings == nil {
                (recording.start, recording.surroundingsAtStart) = (now, state.surroundings)
            } else if surroundings != state.surroundings {
                recording.steps.append((now, .surroundings(state.surroundings)))
            }
            surroundings = state.surroundings
        }

        private mutating func take(_ entries: Entries, at time: Double, _ recording: inout Recording) {
            for options in entries.options ?? [] { recording.options[options.id] = options.values }
            guard hasEntries else {
                recording.initial += entries.rows
                return hasEntries = !entries.more
            }
            if entries.reset ?? false { recording.wasInterrupted = true }
            let now = Duration(recordedMilliseconds: time + (offset ?? 0))
            recording.steps += entries.rows.map { (now, .row($0)) }
        }

        private mutating func take(_ events: Events, _ recording: inout Recording) {
            recording.dropped = min(recording.dropped, 1_000_000_000) + min(max(0, events.dropped), 1_000_000_000)
            let new = events.events.filter { $0.n > lastEvent }
            lastEvent = new.last?.n ?? lastEvent
            guard hasHistory else {
                // These events led to the entries with which the recording begins.
                for event in new {
                    guard let mutation = event.mutation else { continue }
                    if event.kind == "mutating" { recording.runningMutations.insert(mutation) }
                    if event.kind == "mutated" || event.kind == "mutationFailed" {
                        recording.runningMutations.remove(mutation)
                    }
                }
                recording.start = max(recording.start, new.last?.time ?? .zero)
                return
            }
            recording.steps += new.map { ($0.time, .event($0)) }
        }
    }
}

struct RecordedSurroundings: Equatable {
    let isOnline: Bool
    let isActive: Bool
}

/// A row of an entry, as the devtools send it.
struct RecordedRow: Decodable {
    let key: String
    let path: [String]
    let type: String
    let state: String
    let activity: String
    private let observers: Int
    let disabled: Int?
    let tags: [String]
    let updatedAt: Double?
    let error: String?
    let fault: String?
    let isPrivate: Bool
    let options: Int?
    let freshForMs: Double?

    var observerCount: Int { min(max(0, observers), 1000) }

    var isPaged: Bool { type.hasPrefix("Pages<") }
}

/// An event, as the devtools send it.
struct RecordedEvent: Decodable {
    let n: Int
    let t: Double
    let key: String?
    let fetch: Int?
    let mutation: String?
    let mutationNumber: Int?
    let kind: String
    let causes: [String]
    let attempt: Int?
    let page: String?
    let ms: Double?

    /// True if only a mutation of the outbox has such events.
    var isOfOutbox: Bool { ["enqueued", "setAside", "discarded"].contains(kind) }

    var time: Duration { Duration(recordedMilliseconds: t) }

    var direction: PageDirection? { page.map { $0 == "previous" ? .previous : .next } }

    var cause: Cause { Cause(chain: causes) }
}

extension Cause {
    /// The cause in words that do not depend on faces, errors and names.
    var essence: String {
        switch self {
        case .by(_, let cause): cause.essence
        case .retry(let number, _, let cause): "retry \(number), \(cause.essence)"
        case .invalidated(by: let origin?): "invalidated by \(origin.essence)"
        default: description
        }
    }
}

internal import Foundation
internal import PigeonCore
import PigeonOutbox
internal import PigeonHTTP
internal import Synchronization

/// A change that the server makes, refuses, or answers with a conflict.
struct RigChange: DurableMutation {
    /// The numbers of the changes that were folded into this one. Each was accepted by itself.
    var ids: [Int]
    /// The place in which changes are made in order.
    var place: Int
    /// Increased by each edit.
    var version = 0
    var kind = Kind.plain

    enum Kind: String, Codable, Sendable {
        case plain
        /// The server refuses it until it is edited.
        case bad
        /// The server answers with a conflict until the change is based on the server's version.
        case stale
        /// Later changes of this kind fold into it.
        case folding
    }

    var scope: String? { place == 0 ? nil : "places/\(place)" }
    /// Changes of one place are in order, also after one that is set aside.
    var afterSetAside: AfterSetAside { .wait }
    var retry: RetryPolicy { RetryPolicy(limit: .max, delay: { .milliseconds(min(40, 2 << min($0, 5))) }) }

    /// The path at the server. It contains all of the change.
    var path: String { "/\(place)/\(ids.map(String.init).joined(separator: ","))/\(version)/\(kind.rawValue)" }

    func run(_ context: MutationContext) async throws {
        let server = try context[RigServer.self]
        try server.diary.beginAttempt(at: self)
        try await server.dispatcher.send(
            BasicRequest(
                method: .post, path: server.scene + path, headers: ["Idempotency-Key": context.idempotencyKey]))
    }

    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        guard kind == .folding, let earlier = earlier as? RigChange, earlier.kind == .folding, earlier.ids.count < 8
        else { return .separate }
        var both = self
        both.ids = earlier.ids + ids
        both.version = max(earlier.version, version)
        return .combined(both)
    }

    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution {
        guard kind == .stale, let id = ids.first else { return .setAside }
        if id % 3 == 0 { return .setAside }
        var based = self
        (based.kind, based.version) = (.plain, version + 1)
        return .retry(based)
    }
}

/// The server, as a program sees it.
struct RigServer: Sendable {
    let dispatcher: NetworkDispatcher
    /// The first component of all paths: the file of which the changes are.
    let scene: String
    let diary: Diary
}

/// The actions of a program, line by line, for the rig. A line is written before the program does something, and another one
/// once it is done.
final class Diary: Sendable {
    private let turn = Mutex(())

    func note(_ text: String) { turn.withLock { _ in Self.write(text) } }

    /// Notes that an attempt begins, unless it has been cancelled. A cancellation that has returned is noted after it.
    func beginAttempt(at change: RigChange) throws {
        try turn.withLock { _ in
            try Task.checkCancellation()
            Self.write("begin \(change.version) \(Self.text(change.ids))")
        }
    }

    static func text(_ ids: [Int]) -> String { ids.map(String.init).joined(separator: " ") }

    private static func write(_ text: String) { say("\(DispatchTime.now().uptimeNanoseconds) \(text)") }
}

public import Foundation
public import PigeonCore
public import PigeonTesting

/// The result of a replay: how its events differ from those of the recording.
///
/// See ``PigeonTesting/Simulation/replay(_:changing:)``.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct Replay: Sendable, CustomStringConvertible {
    /// An event that happened to a key in the recording or in the replay, but not in both.
    public struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The key, or the mutation as `mutation RenameUser`.
        public let subject: String
        /// The time on the recorded client's clock, from its creation.
        public let time: Duration
        /// The event and its cause, as in `fetching (poll)`.
        public let event: String
        /// True if the event was recorded and did not happen again. False if it happened in the replay only.
        public let wasRecorded: Bool

        /// A line of text.
        public var description: String {
            let place = wasRecorded ? "in the recording only" : "in the replay only"
            return "\(time.inSeconds.rounded(toPlaces: 3)) s: \(subject) \(event), \(place)"
        }
    }

    /// Number of events that were recorded, without those that cannot be repeated.
    public let recordedCount: Int
    /// The events of the replay, as a client's log has them.
    public let log: [String]
    /// The events that are in one of the two only, in the order of their times. Empty if the same happened again.
    public let differences: [Difference]
    /// Sentences about facts that the recording lacks, so that the replay had to do without them.
    public let gaps: [String]

    /// The differences and the gaps, as lines.
    public var description: String {
        let head =
            differences.isEmpty
            ? "all \(recordedCount) recorded events happened again"
            : "\(differences.count) differences in \(recordedCount) recorded events:"
        let notes = gaps.isEmpty ? [] : ["what the recording does not tell:"] + gaps.map { "  \($0)" }
        return ([head] + differences.map { "  \($0)" } + notes).joined(separator: "\n")
    }
}

/// A reason for which a file cannot be replayed.
public enum ReplayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is not a recording of the devtools.
    case noRecording
    /// The recording has a version that this library does not know.
    case otherVersion(Int)
    /// A line of the recording, counted from 1, cannot be read.
    case damaged(line: Int, reason: String)
    /// The recording contains no state of a client.
    case empty

    /// Describes the problem.
    public var description: String {
        switch self {
        case .noRecording: "the file is not a recording: a page of the devtools saves them"
        case .otherVersion(let version):
            "the recording has version \(version), which this library does not know: use the one that recorded it"
        case .damaged(let line, let reason):
            "line \(line) of the recording cannot be read, so it is damaged or of another version: \(reason)"
        case .empty: "the recording contains no state of a client: record while a program is connected"
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Simulation {
    /// Repeats what a program did while a page of the devtools recorded it, in a ``/PigeonTesting/QueryLab``, and
    /// compares the events.
    ///
    /// ```swift
    /// let replay = try Simulation.replay(file)
    /// #expect(replay.differences.isEmpty, "\(replay)")
    /// ```
    ///
    /// The replay repeats everything that came from outside, at its time: observers that attached and left, calls, writes,
    /// mutations, the answers and errors of the server, the network, and the foreground. All else has to follow from it by
    /// itself, such as polls, retries and what turns stale. Then the events of each key are compared, by their kinds and
    /// causes. Values are not recorded, so the replay makes up its own.
    ///
    /// A test that replays imports `PigeonDevtools` and `PigeonTesting`, and needs no trait.
    ///
    /// With `changing`, you can ask what would have been different:
    ///
    /// ```swift
    /// let calmer = try Simulation.replay(file) { key, options in
    ///     if key.isWithin("users") { options.staleAfter = .minutes(5) }
    /// }
    /// print(calmer)
    /// ```
    ///
    /// - Parameters:
    ///   - file: A recording, as a page of the devtools saves it.
    ///   - changing: Changes the recorded options of a key. By default, changes nothing. The retry policy is made from the
    ///     recorded attempts, and cannot be changed.
    /// - Returns: The differences, and what the recording does not tell.
    /// - Throws: ``ReplayError``, or the error of reading the file.
    public static func replay(
        _ file: URL, changing: @escaping (_ key: QueryKey, _ options: inout QueryOptions) -> Void = { _, _ in }
    ) throws -> Replay {
        ReplayWorld(try Recording(Data(contentsOf: file)), changing).run()
    }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let factor = (0..<places).reduce(1.0) { factor, _ in factor * 10 }
        return (self * factor).rounded() / factor
    }
}

public import Foundation

/// What a request carries: bytes, files, or both in a row. Files are read while they are sent.
///
/// ```swift
/// var request = BasicRequest(method: .put, path: "/videos/7")
/// request.body = .file(recording)
/// ```
public struct HTTPBody: Sendable, Hashable {
    /// A piece of a body.
    public enum Segment: Sendable, Hashable {
        /// Bytes at hand.
        case data(Data)
        /// The contents of a file.
        case file(URL)
    }

    /// The pieces, in the order they are sent.
    public var segments: [Segment]

    /// Creates a body from pieces.
    public init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// A body of bytes.
    public static func data(_ data: Data) -> HTTPBody { HTTPBody([.data(data)]) }

    /// A body that is the contents of a file.
    public static func file(_ url: URL) -> HTTPBody { HTTPBody([.file(url)]) }

    /// The bytes, where all of them are at hand: `nil` when a file takes part.
    public var bytes: Data? {
        if segments.count == 1, case .data(let data) = segments[0] { return data }
        var all = Data()
        for segment in segments {
            guard case .data(let data) = segment else { return nil }
            all.append(data)
        }
        return all
    }
}

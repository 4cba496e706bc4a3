public import Foundation

/// The body of a request: bytes, files, or a sequence of both. Files are read while they are sent.
///
/// ```swift
/// var request = BasicRequest(method: .put, path: "/videos/7")
/// request.body = .file(recording)
/// ```
public struct HTTPBody: Sendable, Hashable {
    /// A piece of a body.
    public enum Segment: Sendable, Hashable {
        /// Bytes in memory.
        case data(Data)
        /// The contents of a file.
        case file(URL)
    }

    /// The pieces in the order in which they are sent.
    public var segments: [Segment]

    /// Creates a body from pieces.
    public init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// Creates a body of bytes.
    public static func data(_ data: Data) -> HTTPBody { HTTPBody([.data(data)]) }

    /// Creates a body from the contents of a file.
    public static func file(_ url: URL) -> HTTPBody { HTTPBody([.file(url)]) }

    /// The bytes of the body, or `nil` if it contains a file.
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

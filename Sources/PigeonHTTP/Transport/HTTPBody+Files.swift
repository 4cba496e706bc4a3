internal import Foundation

extension HTTPBody {
    /// The number of bytes, after a look at every file.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` when a file is not there or cannot be read.
    func byteCount() throws(RequestDefect) -> Int64 {
        var count: Int64 = 0
        for segment in segments {
            switch segment {
            case .data(let data): count += Int64(data.count)
            case .file(let url): count += try Self.byteCount(of: url)
            }
        }
        return count
    }

    private static func byteCount(of file: URL) throws(RequestDefect) -> Int64 {
        guard file.isFileURL else { throw .invalidBody(reason: "\(file.lastPathComponent) is not on this machine") }
        let path = file.resolvingSymlinksInPath().path
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw .invalidBody(reason: "there is no file \(file.lastPathComponent)", cause: error)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber,
            FileManager.default.isReadableFile(atPath: path)
        else { throw .invalidBody(reason: "the file \(file.lastPathComponent) cannot be read") }
        return size.int64Value
    }
}

/// A file that is removed when nobody holds it any more.
final class TemporaryFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-upload-\(UUID().uuidString)")

    /// Creates a file that holds the pieces in a row. It is written on a background queue.
    init(_ segments: [HTTPBody.Segment]) async throws(RequestDefect) {
        let url = url
        let result: Result<Void, RequestDefect> = await withCheckedContinuation { done in
            DispatchQueue.global(qos: .userInitiated).async {
                done.resume(
                    returning: Result { try Self.write(segments, to: url) }.mapError {
                        .invalidBody(reason: "its pieces could not be put together", cause: $0)
                    })
            }
        }
        try result.get()
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    private static func write(_ segments: [HTTPBody.Segment], to url: URL) throws {
        try Data().write(to: url, options: .withoutOverwriting)
        let target = try FileHandle(forWritingTo: url)
        defer { try? target.close() }
        for segment in segments {
            switch segment {
            case .data(let data): try target.write(contentsOf: data)
            case .file(let file):
                let source = try FileHandle(forReadingFrom: file)
                defer { try? source.close() }
                while let piece = try source.read(upToCount: 1 << 16), !piece.isEmpty {
                    try target.write(contentsOf: piece)
                }
            }
        }
    }
}

internal import Foundation

/// A file for this process alone, which is removed when it is released. No other user can read it.
///
/// It is locked as long as it is needed. The system releases the lock when the process ends for any reason. Then the
/// next process that creates such a file removes it.
final class TemporaryFile: Sendable {
    let url: URL
    private let descriptor: Int32

    private static let prefix = "pigeon-upload-"

    /// Writes the pieces to a new file, on a background queue.
    init(_ segments: [HTTPBody.Segment], in folder: URL = FileManager.default.temporaryDirectory)
        async throws(RequestDefect)
    {
        let url = folder.appendingPathComponent(Self.prefix + UUID().uuidString)
        let result: Result<Int32, RequestDefect> = await withCheckedContinuation { done in
            DispatchQueue.global(qos: .userInitiated).async {
                done.resume(
                    returning: Result { try Self.write(segments, to: url) }.mapError {
                        .invalidBody(reason: "its pieces could not be put together", cause: $0)
                    })
            }
        }
        descriptor = try result.get()
        self.url = url
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        close(descriptor)
    }

    private static func write(_ segments: [HTTPBody.Segment], to url: URL) throws -> Int32 {
        removeLeftovers(in: url.deletingLastPathComponent())
        let descriptor = try create(url)
        do {
            let target = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            for segment in segments { try segment.write(to: target) }
            return descriptor
        } catch {
            try? FileManager.default.removeItem(at: url)
            close(descriptor)
            throw error
        }
    }

    #if os(Windows)
        private static func create(_ url: URL) throws -> Int32 {
            let descriptor = _open(url.path, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            return descriptor
        }

        private static func removeLeftovers(in folder: URL) {}
    #else
        private static func create(_ url: URL) throws -> Int32 {
            // It has its own name only once it is locked. Until then it would look like a leftover.
            let first = url.deletingLastPathComponent().appendingPathComponent("pigeon-new-\(UUID().uuidString)")
            let descriptor = open(first.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError.last }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(first.path, url.path) == 0 else {
                let error = POSIXError.last
                unlink(first.path)
                close(descriptor)
                throw error
            }
            return descriptor
        }

        /// Removes the files of processes that were killed. Locked files are in use.
        private static func removeLeftovers(in folder: URL) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where name.hasPrefix(prefix) {
                let path = folder.appendingPathComponent(name).path
                let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
                close(descriptor)
            }
        }
    #endif
}

extension HTTPBody.Segment {
    fileprivate func write(to target: FileHandle) throws {
        switch self {
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

extension HTTPBody {
    /// Returns the number of bytes, after checking each file.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` if a file is missing or cannot be read.
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

internal import Foundation

/// The file beside the destination that a download is written to until it is complete. Only one download uses it at a
/// time.
final class PartialFile {
    /// Size in bytes.
    private(set) var count: Int64 = 0
    /// The download and version of its contents, if known.
    private(set) var mark: DownloadMark?

    private let destination: URL
    private let url: URL
    private let isKept: Bool
    private let handle: FileHandle

    /// Opens a file for a destination: a new one, or the kept one of the same download.
    ///
    /// - Throws: ``HTTPError/other(_:)`` with a ``DownloadError`` if nothing could be saved there, as all of its
    ///   functions do.
    init(for destination: URL, of request: any Request, kept: Bool) throws(HTTPError) {
        try destination.checkForDownload()
        let folder = destination.deletingLastPathComponent()
        let keptURL = folder.appendingPathComponent(".\(destination.lastPathComponent).download")
        self.destination = destination
        // If another download uses the kept file now, this one starts with a new file.
        if kept, let handle = try FileHandle.openExclusively(keptURL) {
            (url, isKept, self.handle) = (keptURL, true, handle)
            try takeUp(request)
        } else {
            url = folder.appendingPathComponent(".\(UUID().uuidString).download")
            isKept = false
            handle = try FileHandle.opening(url)
        }
    }

    private func takeUp(_ request: any Request) throws(HTTPError) {
        let known = (try? Data(contentsOf: markURL)).flatMap { try? JSONDecoder().decode(DownloadMark.self, from: $0) }
        guard let known, known.isOf(request) else { return try restart(with: nil) }
        count = try onDisk { Int64(try handle.seekToEnd()) }
        mark = known
    }

    /// Removes the contents, and begins with the version of a response.
    func restart(with mark: DownloadMark?) throws(HTTPError) {
        try onDisk { try handle.truncate(atOffset: 0) }
        count = 0
        self.mark = isKept ? mark : nil
        guard isKept else { return }
        guard let mark else {
            try? FileManager.default.removeItem(at: markURL)
            return
        }
        try onDisk { try JSONEncoder().encode(mark).write(to: markURL, options: .atomic) }
    }

    func write(_ data: Data) throws(HTTPError) {
        try onDisk { try handle.write(contentsOf: data) }
        count += Int64(data.count)
    }

    /// Moves the file to its destination, and replaces an existing file.
    func finish() throws(HTTPError) {
        // Before the file is moved: after that, the mark may belong to the next download.
        if isKept { try? FileManager.default.removeItem(at: markURL) }
        try onDisk {
            try handle.synchronize()
            try url.replace(destination)
            try handle.close()
        }
    }

    /// Keeps the file for the next time if it can be resumed, and otherwise removes it.
    func giveUp() {
        if mark == nil || count == 0 { drop() }
        try? handle.close()
    }

    func drop() {
        try? FileManager.default.removeItem(at: url)
        if isKept { try? FileManager.default.removeItem(at: markURL) }
    }

    private var markURL: URL { url.appendingPathExtension("json") }

    private func onDisk<Result>(_ work: () throws -> Result) throws(HTTPError) -> Result {
        do { return try work() } catch { throw error.cannotWrite(destination) }
    }
}

extension URL {
    /// Throws if a file cannot be saved here, as far as this can be known in advance.
    func checkForDownload() throws(HTTPError) {
        guard isFileURL else { throw .other(DownloadError.noFile(plainDescription)) }
        var isDirectory: ObjCBool = false
        let folder = deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue
        else { throw .other(DownloadError.noDirectory(folder.path)) }
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) || !isDirectory.boolValue else {
            throw .other(DownloadError.isDirectory(path))
        }
    }

    /// Moves this file over another, in one step.
    func replace(_ other: URL) throws {
        #if os(Windows)
            _ = try FileManager.default.replaceItemAt(other, withItemAt: self)
        #else
            guard rename(path, other.path) == 0 else { throw POSIXError.last }
        #endif
    }
}

extension FileHandle {
    /// Opens a file at its beginning. Creates it if needed.
    static func opening(_ url: URL) throws(HTTPError) -> FileHandle {
        do {
            #if os(Windows)
                if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
                return try FileHandle(forUpdating: url)
            #else
                // In one step, since another download may move the file away at any time.
                let number = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
                guard number >= 0 else { throw POSIXError.last }
                return FileHandle(fileDescriptor: number, closeOnDealloc: true)
            #endif
        } catch {
            throw error.cannotWrite(url)
        }
    }

    /// Opens a file as ``opening(_:)`` does, unless another download uses it. The system releases it when it is closed,
    /// or when the process ends.
    static func openExclusively(_ url: URL) throws(HTTPError) -> FileHandle? {
        while true {
            let before = fileNumber(at: url)
            let handle = try opening(url)
            #if os(Windows)
                return handle
            #else
                guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
                // The other download may have moved the file away before it was locked, so that the opened file is a
                // finished download. If the file at the address has stayed the same, it is the opened one. A new file
                // is checked once more.
                if let before, before == fileNumber(at: url) { return handle }
            #endif
        }
    }

    /// The system's number of the file at an address. No other file has the number of an open file.
    private static func fileNumber(at url: URL) -> AnyHashable? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        return attributes?[.systemFileNumber] as? AnyHashable
    }
}

#if !os(Windows)
    extension POSIXError {
        static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
#endif

extension Error {
    fileprivate func cannotWrite(_ file: URL) -> HTTPError {
        .other(DownloadError.cannotWrite(file.path, reason: diskReason))
    }

    fileprivate var diskReason: String {
        if let error = self as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
        if let cause = (self as? CocoaError)?.underlying ?? (self as NSError).userInfo[NSUnderlyingErrorKey]
            as? any Error
        {
            return cause.diskReason
        }
        return (self as NSError).localizedDescription
    }
}

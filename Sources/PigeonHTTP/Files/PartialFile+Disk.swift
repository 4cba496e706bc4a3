internal import Foundation

extension URL {
    /// Throws when no file can be saved here, as far as can be told before it is tried.
    func checkForDownload() throws(DownloadError) {
        guard isFileURL else { throw .noFile(plainDescription) }
        var isDirectory: ObjCBool = false
        let folder = deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue
        else {
            throw .noDirectory(folder.path)
        }
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) || !isDirectory.boolValue else {
            throw .isDirectory(path)
        }
    }

    /// Moves this file over another, in one step.
    func replace(_ other: URL) throws {
        #if os(Windows)
            _ = try FileManager.default.replaceItemAt(other, withItemAt: self)
        #else
            guard rename(path, other.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        #endif
    }
}

extension FileHandle {
    /// Opens a file at its beginning, which is created if it is not there.
    static func open(_ url: URL) throws(DownloadError) -> FileHandle {
        do {
            try url.createFile()
            return try FileHandle(forUpdating: url)
        } catch {
            throw .cannotWrite(url.path, reason: error.diskReason)
        }
    }

    /// Opens a file as ``open(_:)`` does, unless somebody else has it. The system gives it free when it is closed, or when
    /// the process ends.
    static func openExclusively(_ url: URL) throws(DownloadError) -> FileHandle? {
        try? url.createFile()
        let number = url.fileNumber
        let handle = try open(url)
        #if !os(Windows)
            guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        #endif
        // Whoever had it may have moved it away in between: then this is a finished download.
        return number != nil && number == url.fileNumber ? handle : nil
    }
}

extension URL {
    /// Creates an empty file where there is none.
    fileprivate func createFile() throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        // Of two who create it at the same time, both go on with the file of the first.
        do { try Data().write(to: self, options: .withoutOverwriting) } catch CocoaError.fileWriteFileExists {}
    }

    /// What the file system tells its files apart by.
    fileprivate var fileNumber: Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.systemFileNumber] as? NSNumber)?.intValue
    }
}

extension Error {
    /// What the system says was in the way.
    var diskReason: String {
        if let error = self as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
        if let cause = (self as? CocoaError)?.underlying ?? (self as NSError).userInfo[NSUnderlyingErrorKey]
            as? any Error
        {
            return cause.diskReason
        }
        return (self as NSError).localizedDescription
    }
}

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
            guard rename(path, other.path) == 0 else { throw POSIXError.last }
        #endif
    }
}

extension FileHandle {
    /// Opens a file at its beginning, which is created if it is not there.
    static func opening(_ url: URL) throws(DownloadError) -> FileHandle {
        do {
            #if os(Windows)
                if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
                return try FileHandle(forUpdating: url)
            #else
                // In one step: another download may move the file away at any time.
                let number = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
                guard number >= 0 else { throw POSIXError.last }
                return FileHandle(fileDescriptor: number, closeOnDealloc: true)
            #endif
        } catch {
            throw .cannotWrite(url.path, reason: error.diskReason)
        }
    }

    /// Opens a file as ``opening(_:)`` does, unless somebody else has it. The system gives it free when it is closed, or when
    /// the process ends.
    static func openExclusively(_ url: URL) throws(DownloadError) -> FileHandle? {
        while true {
            let before = fileNumber(at: url)
            let handle = try opening(url)
            #if os(Windows)
                return handle
            #else
                guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
                // The other download may have moved it away before it was locked: then this is a finished download. A file that
                // was at the address all the time is the one that was opened. A new one is looked at once more.
                if let before, before == fileNumber(at: url) { return handle }
            #endif
        }
    }

    /// The number by which the system knows the file at an address. An open file keeps its number to itself.
    private static func fileNumber(at url: URL) -> AnyHashable? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        return attributes?[.systemFileNumber] as? AnyHashable
    }
}

#if !os(Windows)
    extension POSIXError {
        /// The error of the last system call that failed on this thread.
        static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
#endif

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

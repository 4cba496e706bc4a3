internal import PigeonCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// Records that were read along with the record before them, because a list asks for its records in order. A statement
/// that reads 64 records costs as much as three that read one.
///
/// The number of records that the next statement reads doubles while more than half of them are used, and is halved
/// otherwise, so that looks in random order read little in vain.
package struct ReadAhead {
    /// The largest number of records, and of their bytes, that are read in advance.
    package static let limit = (records: 64, bytes: 256 * 1024)

    private var records: [QueryKey: QueryRecord] = [:]
    private var stamp: FileStamp?
    /// The number of records that the last statement was to read in advance, and how many of them were used since.
    package private(set) var count = 0
    private var used = 0

    enum Look {
        case found(QueryRecord)
        /// The record must be read, with this number of records that follow it.
        case read(ahead: Int)
    }

    /// Looks for a record. Forgets all records if the file has changed.
    mutating func look(for key: QueryKey, in stamp: FileStamp?) -> Look {
        guard let stamp else {
            forget()
            return .read(ahead: 0)
        }
        if stamp != self.stamp { forget() }
        if let record = records.removeValue(forKey: key) {
            used += 1
            return .found(record)
        }
        count = used * 2 < count ? count / 2 : min(max(1, count * 2), Self.limit.records)
        used = 0
        return .read(ahead: count)
    }

    mutating func keep(_ records: [QueryKey: QueryRecord], in stamp: FileStamp) {
        self.records = records
        self.stamp = stamp
    }

    mutating func forget() {
        records = [:]
        stamp = nil
    }
}

/// Tells whether anyone has written to a file between two moments.
struct FileStamp: Equatable {
    private let file: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The time that a file must have been left alone, in seconds. The system counts a file's times in steps of up to
    /// 10 ms, so that a second write within a step does not change them.
    private static let rest = 0.05

    /// - Returns: `nil` if there is no file, if it was written to a moment ago, or if the system does not tell.
    init?(of path: String) {
        #if os(Windows) || os(WASI)
            return nil
        #else
            var status = stat()
            var now = timespec()
            guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            // An older watch counts both in 32 bits, which their difference can exceed.
            let elapsed = Int64(now.tv_sec) - Int64(time.tv_sec)
            let age = Double(elapsed) + Double(now.tv_nsec - time.tv_nsec) / 1e9
            guard age > Self.rest else { return nil }
            file = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (Int64(time.tv_sec), Int64(time.tv_nsec))
        #endif
    }
}

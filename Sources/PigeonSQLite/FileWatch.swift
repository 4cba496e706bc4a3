internal import Foundation
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

/// Notices from changes of a database's log that a process has written to the database, or moved it.
///
/// It also notices this process's own writes. Many writes in a short time cause one call.
final class FileWatch: Sendable {
    private let source: Source

    private struct Source: @unchecked Sendable {  // dispatch sources can be used from any thread
        let source: any DispatchSourceProtocol
        /// Removes the pending events of the source.
        let takeEvents: @Sendable () -> Void
    }

    /// - Parameter listener: Called on a queue of this watch, a moment after a change. It takes at most a fifth of the
    ///   queue's time: the longer a call takes, the later the next one.
    /// - Returns: `nil` if the system allows no further watch.
    init?(_ file: DatabaseFile, _ listener: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "PigeonSQLite.watch", qos: .utility)
        guard let source = Self.source(of: file, on: queue) else { return nil }
        self.source = source
        source.source.setEventHandler {
            // Only this watch uses the queue. The next call covers changes during the wait.
            Thread.sleep(forTimeInterval: Self.delay)
            guard !source.source.isCancelled else { return }
            source.takeEvents()
            let start = DispatchTime.now().uptimeNanoseconds
            listener()
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            Thread.sleep(forTimeInterval: seconds * 4)
        }
        source.source.resume()
    }

    deinit {
        source.source.cancel()
    }

    /// Delay of the listener after a change, in seconds. In this time, the writer usually ends its transaction.
    private static let delay = 0.02

    #if os(Linux) || os(Android)
        private static func source(of file: DatabaseFile, on queue: DispatchQueue) -> Source? {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // The log exists while the database is open. It is emptied, and not removed, while a process uses it.
            let events = UInt32(IN_MODIFY) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF) | UInt32(IN_ATTRIB)
            guard inotify_add_watch(descriptor, file.log, events) >= 0 else {
                close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setCancelHandler { close(descriptor) }
            return Source(source: source) {
                var events = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &events, events.count) > 0 {}
            }
        }
    #else
        private static func source(of file: DatabaseFile, on queue: DispatchQueue) -> Source? {
            // SQLite holds no locks on the log, so closing it releases none.
            let descriptor = open(file.log, O_EVTONLY)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete], queue: queue)
            source.setCancelHandler { close(descriptor) }
            return Source(source: source) {}
        }
    #endif
}

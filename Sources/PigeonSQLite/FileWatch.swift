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

/// Notices that a process has written to a database, by the changes of its log.
///
/// It is told of this process's own writes too, and of several writes at once.
final class FileWatch: Sendable {
    private let source: Locked<(any DispatchSourceProtocol)?>

    func cancel() {
        let source = source.withLock { source in
            defer { source = nil }
            return source
        }
        source?.cancel()
    }

    deinit {
        cancel()
    }

    #if os(Linux) || os(Android)
        /// Returns `nil` if the system allows no further watch.
        init?(_ file: DatabaseFile, _ listener: @escaping @Sendable () -> Void) {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // The log exists while the database is open. It is emptied, and not removed, while a process uses it.
            guard inotify_add_watch(descriptor, file.log, UInt32(IN_MODIFY)) >= 0 else {
                close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
            source.setEventHandler {
                var events = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &events, events.count) > 0 {}
                listener()
            }
            source.setCancelHandler { close(descriptor) }
            source.resume()
            self.source = Locked(source)
        }
    #else
        /// Returns `nil` if the log cannot be opened.
        init?(_ file: DatabaseFile, _ listener: @escaping @Sendable () -> Void) {
            // SQLite holds no locks on the log, so closing it releases none.
            let descriptor = open(file.log, O_EVTONLY)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend], queue: Self.queue)
            source.setEventHandler { listener() }
            source.setCancelHandler { close(descriptor) }
            source.resume()
            self.source = Locked(source)
        }
    #endif

    private static let queue = DispatchQueue(label: "PigeonSQLite.watch", qos: .utility)
}

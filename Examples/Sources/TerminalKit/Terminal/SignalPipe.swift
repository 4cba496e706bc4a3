import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Brings signals from the handler, which may do next to nothing, to where they can be seen to: a byte for each.
///
/// Dispatch's own signal sources do not tell of every signal on Linux.
enum SignalPipe {
    private static let ends: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }()

    /// The open file to read from.
    static var file: Int32 { ends.reading }

    /// Has a signal come through the pipe, in place of what it does.
    static func watch(_ number: Int32) {
        // Before the handler is in place, which must not be the first to ask for it.
        _ = ends
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handle
        #else
            action.__sigaction_handler.sa_handler = handle
        #endif
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }

    /// Returns the signals that came since, in their order.
    static func read() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { systemRead(file, $0) }
        return bytes.prefix(max(count, 0)).map(Int32.init)
    }

    private static let handle: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = withUnsafeBytes(of: &byte) { systemWrite(SignalPipe.ends.writing, $0) }
        errno = before
    }
}

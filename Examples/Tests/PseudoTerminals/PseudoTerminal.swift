import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A terminal whose other end the test holds.
package final class PseudoTerminal {
    package struct Unavailable: Error {}
    package struct Ended: Error {}

    /// The end of the program.
    package let program: Int32
    private let test: Int32
    private let output: AsyncStream<[UInt8]>
    private let source: any DispatchSourceRead

    package init(columns: UInt16 = 40, rows: UInt16 = 10) throws {
        var (test, program): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&test, &program, nil, nil, &size) == 0 else { throw Unavailable() }
        // Programs that other tests start must not hold this terminal open.
        for file in [test, program] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        (self.test, self.program) = (test, program)
        let source = DispatchSource.makeReadSource(fileDescriptor: test, queue: .global())
        let (output, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        source.setEventHandler { [test] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(test, &bytes, bytes.count)
            guard count > 0 else { return source.cancel() }
            continuation.yield(Array(bytes.prefix(count)))
        }
        source.setCancelHandler { [test, program] in
            continuation.finish()
            close(test)
            close(program)
        }
        (self.source, self.output) = (source, output)
        source.activate()
    }

    deinit { source.cancel() }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(test, bytes, bytes.count)
    }

    package func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(test, UInt(TIOCSWINSZ), &size)
    }

    /// Returns what the program writes, until it has written all of these texts.
    package func receive(through ends: String...) async throws -> String {
        var text = ""
        for await bytes in output {
            text += String(decoding: bytes, as: UTF8.self)
            if ends.allSatisfy(text.contains) { return text }
        }
        throw Ended()
    }

    /// Whether lines are edited, keys are echoed, and Ctrl-C is a signal.
    package var modes: [Bool] {
        var modes = termios()
        guard tcgetattr(program, &modes) == 0 else { return [] }
        return [ICANON, ECHO, ISIG].map { modes.c_lflag & tcflag_t($0) != 0 }
    }
}

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's side of a terminal: two open files and their modes.
struct Device: Sendable {
    let input: Int32
    let output: Int32

    /// Whether there is a terminal at both ends, one that understands escape sequences.
    var isTerminal: Bool {
        isatty(input) == 1 && isatty(output) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    var size: TerminalSize {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return .usual }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    var modes: termios? {
        var modes = termios()
        return tcgetattr(input, &modes) == 0 ? modes : nil
    }

    func set(_ modes: termios) {
        var modes = modes
        // Not after all output has drained: a terminal that reads no more would hold up the end of the program.
        while tcsetattr(input, TCSANOW, &modes) != 0, errno == EINTR {}
    }

    /// Returns the next bytes, empty ones at the end, or `nil` where there are none now.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { systemRead(input, $0) }
        guard count >= 0 else { return errno == EINTR || errno == EAGAIN ? nil : [] }
        return Array(bytes.prefix(count))
    }

    /// Writes a text as one. Returns whether all of it went out.
    func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(output, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension termios {
    /// These modes with every key given at once, as it is: no line editing, no echo, no signals.
    var raw: termios {
        var modes = self
        cfmakeraw(&modes)
        // Line feeds of whoever else writes still begin a line.
        modes.c_oflag = c_oflag
        return modes
    }
}

func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    read(file, bytes.baseAddress, bytes.count)
}

func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The modes of a terminal as they were.
struct Modes: @unchecked Sendable {  // numbers that never change
    let modes: termios

    init(_ modes: termios) {
        self.modes = modes
    }
}

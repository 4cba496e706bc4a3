import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Channel {
    /// Closes with a TCP reset, which the client sees as a broken connection and not as its end.
    func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}

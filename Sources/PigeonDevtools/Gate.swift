#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1

    /// A secret that the address of the page contains.
    struct Token: Sendable {
        let text: String

        init() {
            var random = SystemRandomNumberGenerator()
            text = (0..<4).map { _ in
                let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }

        /// Compares without telling by the time it takes how much is right.
        func isEqual(to other: String) -> Bool {
            let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
            guard mine.count == theirs.count else { return false }
            return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// Decides who may have what.
    ///
    /// A page of another site must not reach the devtools through the browser of a developer. It cannot set `Host` and
    /// `Origin`: the first shows that its name was made to lead to this machine (DNS rebinding), the second that it is
    /// another page that connects.
    struct Gate: Sendable {
        private let token: Token
        private let reach: Devtools.Reach
        private let port: Int

        init(_ token: Token, _ reach: Devtools.Reach, _ port: Int) {
            (self.token, self.reach, self.port) = (token, reach, port)
        }

        /// True if the request was sent to a name of this machine.
        func admits(_ head: HTTPRequestHead) -> Bool {
            let hosts = head.headers["Host"]
            guard hosts.count == 1, let host = hosts.first?.lowercased() else { return false }
            var names = ["127.0.0.1", "localhost", "[::1]"]
            if reach == .network {
                names += [ProcessInfo.processInfo.hostName.lowercased()]
                // An address cannot be made to lead elsewhere. Only a name can.
                if let name = host.nameWithoutPort, name.isAddress { names.append(name) }
            }
            return names.contains { host == "\($0):\(port)" || port == 80 && host == $0 }
        }

        /// True if the request to open a connection comes from the page, with its token.
        func admitsSocket(_ head: HTTPRequestHead) -> Bool {
            guard admits(head), let host = head.headers["Host"].first else { return false }
            let origins = head.headers["Origin"]
            guard origins.isEmpty || origins == ["http://\(host)"] else { return false }
            guard let parts = URLComponents(string: head.uri), parts.path == "/socket" else { return false }
            let given = parts.queryItems?.first { $0.name == "token" }?.value
            return given.map(token.isEqual(to:)) ?? false
        }
    }

    extension String {
        fileprivate var nameWithoutPort: String? {
            guard let colon = lastIndex(of: ":") else { return self }
            return String(self[..<colon])
        }

        /// True if this is an address of a machine, not its name.
        fileprivate var isAddress: Bool {
            let text = hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
            return (try? SocketAddress(ipAddress: text, port: 0)) != nil
        }
    }
#endif

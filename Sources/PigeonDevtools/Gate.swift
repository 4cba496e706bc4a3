#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1

    /// A secret that an address contains.
    struct Token: Sendable {
        let text: String

        init(_ text: String) {
            self.text = text
        }

        /// Creates a random secret.
        init() {
            var random = SystemRandomNumberGenerator()
            text = (0..<4).map { _ in
                let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }

        func address(_ scheme: String, _ host: String, _ port: Int) -> String {
            var address = URLComponents()
            (address.scheme, address.host, address.port, address.path) = (scheme, host, port, "/")
            address.queryItems = [URLQueryItem(name: "token", value: text)]
            return address.string ?? "\(scheme)://\(host):\(port)/"
        }

        /// Compares in constant time, so that the duration does not reveal how much matches.
        func isEqual(to other: String) -> Bool {
            let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
            guard mine.count == theirs.count else { return false }
            return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// Decides which requests are allowed.
    ///
    /// A page of another site must not reach the devtools through the browser of a developer. It cannot set `Host` and
    /// `Origin`. The first reveals a name that was made to lead to this machine (DNS rebinding), the second a
    /// connection that another page opens.
    struct Gate: Sendable {
        enum Guests {
            case page(isOnNetwork: Bool)
            /// Programs. A request from a browser is refused, whatever page it shows.
            case programs
        }

        let guests: Guests
        let token: Token

        init(_ guests: Guests, _ token: Token) {
            (self.guests, self.token) = (guests, token)
        }

        /// True if the request was sent to a name of this machine.
        func admits(_ head: HTTPRequestHead, at port: Int) -> Bool {
            guard case .page(let isOnNetwork) = guests else { return head.headers["Origin"].isEmpty }
            let hosts = head.headers["Host"]
            guard hosts.count == 1, let host = hosts.first?.lowercased() else { return false }
            var names = ["127.0.0.1", "localhost", "[::1]"]
            if isOnNetwork {
                names += [ProcessInfo.processInfo.hostName.lowercased()]
                // An address cannot be made to lead elsewhere. Only a name can.
                if let name = host.nameWithoutPort, name.isAddress { names.append(name) }
            }
            return names.contains { host == "\($0):\(port)" || port == 80 && host == $0 }
        }

        /// True if the request to open a connection comes from a guest, with the token.
        func admitsSocket(_ head: HTTPRequestHead, at port: Int) -> Bool {
            guard admits(head, at: port), let host = head.headers["Host"].first else { return false }
            let origins = head.headers["Origin"]
            guard origins.isEmpty || origins == ["http://\(host)"] else { return false }
            return head.uri.prefix { $0 != "?" } == "/socket" && hasToken(head)
        }

        func hasToken(_ head: HTTPRequestHead) -> Bool { head.query("token").map(token.isEqual(to:)) ?? false }
    }

    extension HTTPRequestHead {
        func query(_ name: String) -> String? {
            URLComponents(string: uri)?.queryItems?.first { $0.name == name }?.value
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

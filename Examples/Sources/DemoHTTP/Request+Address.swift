import NIOHTTP1

extension Request {
    /// The full address of this request with another value of a name in its query: all else in it stays as it was
    /// written, and a name that it lacks is added.
    package func address(with name: String, _ value: Int) -> String {
        let parts = target.split(separator: "?", maxSplits: 1)
        var items = parts.count < 2 ? [] : parts[1].split(separator: "&").map(String.init)
        let item = "\(name)=\(value)"
        if items.contains(where: { $0.hasPrefix("\(name)=") }) {
            items = items.map { $0.hasPrefix("\(name)=") ? item : $0 }
        } else {
            items.append(item)
        }
        return origin + (parts.first ?? "/") + "?" + items.joined(separator: "&")
    }

    /// `http://` and the host that the client named; empty where that holds what a header value could not.
    package var origin: String {
        guard let host = headers.first(name: "Host"), !host.isEmpty else { return "" }
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: ".:-[]_".utf8.contains(byte)
            }
        }
        return isPlain ? "http://\(host)" : ""
    }
}

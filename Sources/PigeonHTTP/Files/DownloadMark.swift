internal import Foundation

/// What is remembered of a download that broke off: which one it was, and of which version it has a part.
struct DownloadMark: Codable, Equatable {
    private let request: UInt64
    private let eTag: String?
    private let lastModified: String?
    /// How many bytes the whole file has, where the server said so.
    let length: Int64?

    /// - Returns: `nil` when the answer names no version that a later one could be told from.
    init?(of request: any Request, answeredWith headers: HTTPHeaders, length: Int64?) {
        // A coded body has other bytes than the file, and what is left of them could not be asked for.
        guard headers["Content-Encoding"].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
        self.request = request.fingerprint
        self.length = length
        eTag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        let isDated = headers["Date"].map { $0 != lastModified } ?? false
        guard validator != nil, eTag != nil || isDated else { return nil }
    }

    /// What goes into `If-Range`. A weak tag does not say that bytes are the same, and a date does so only when it was not
    /// the time of the answer (RFC 9110, 8.8.2.2).
    var validator: String? {
        let sendable = FetchValidators(eTag: eTag, lastModified: lastModified)
        guard let eTag = sendable.eTag else { return sendable.lastModified }
        return eTag.hasPrefix("W/") ? nil : eTag
    }

    /// Whether it is of the same download.
    func isOf(_ request: any Request) -> Bool {
        self.request == request.fingerprint
    }

    /// Whether an answer says that it is of another version.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        func differs<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one != nil && other != nil && one != other
        }
        return differs(headers["ETag"], eTag) || differs(headers["Last-Modified"], lastModified)
            || differs(headers["Content-Range"].flatMap(ContentRange.init)?.total, length)
    }
}

extension Request {
    /// Tells downloads apart, without writing down their queries (FNV-1a).
    fileprivate var fingerprint: UInt64 {
        let query = queryItems.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
        return "\(method.rawValue) \(path)?\(query)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}

/// Which bytes of a whole an answer has (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The bytes of the whole, where the server knows.
    let total: Int64?

    /// Reads a `Content-Range` such as `bytes 500-999/1234`; `nil` for other units and for what makes no sense.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let range = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, range.count == 2, let first = Self.number(range[0]),
            let last = Self.number(range[1]), first <= last
        else { return nil }
        total = Self.number(numbers[1])
        guard total != nil || numbers[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        self.first = first
        self.last = last
    }

    /// The length in a `Content-Range` such as `bytes */1234`, which says that there is nothing where it was asked for.
    static func unsatisfiedTotal(_ text: String) -> Int64? {
        let prefix = "bytes */"
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        return number(text.dropFirst(prefix.count))
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int64(text) : nil
    }
}

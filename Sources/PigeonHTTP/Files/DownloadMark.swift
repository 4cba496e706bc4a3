internal import Foundation
internal import PigeonBase

/// The record of an interrupted download. It identifies the download, and the version of which a part is on disk.
struct DownloadMark: Codable, Equatable {
    private let request: UInt64
    private let eTag: String?
    private let lastModified: String?
    /// Total size in bytes, if the server sent it.
    let length: Int64?

    /// - Returns: `nil` if the response names no version by which a later one could be recognized.
    init?(of request: any Request, answeredWith headers: HTTPHeaders, length: Int64?) {
        // An encoded body has other bytes than the file, so the rest of it could not be requested.
        guard headers.contentCodings.isEmpty else { return nil }
        self.request = request.fingerprint
        self.length = length
        eTag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        let isDated = headers["Date"].map { $0 != lastModified } ?? false
        guard validator != nil, eTag != nil || isDated else { return nil }
    }

    /// The value of `If-Range`. A weak tag does not guarantee equal bytes, and a date guarantees them only if it is not
    /// the time of the response (RFC 9110, 8.8.2.2).
    var validator: String? {
        let sendable = FetchValidators(eTag: eTag, lastModified: lastModified)
        guard let eTag = sendable.eTag else { return sendable.lastModified }
        return eTag.hasPrefix("W/") ? nil : eTag
    }

    func isOf(_ request: any Request) -> Bool {
        self.request == request.fingerprint
    }

    func isContradicted(by headers: HTTPHeaders) -> Bool {
        func differs<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one != nil && other != nil && one != other
        }
        return differs(headers["ETag"], eTag) || differs(headers["Last-Modified"], lastModified)
            || differs(headers["Content-Range"].flatMap(ContentRange.init)?.total, length)
    }
}

extension Request {
    /// Distinguishes downloads without recording their queries.
    fileprivate var fingerprint: UInt64 {
        let query = queryItems.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
        return stableHash(of: "\(methodName) \(path)?\(query)".utf8)
    }
}

/// The range of bytes in a response (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// Total size in bytes, if known.
    let total: Int64?

    /// Reads a `Content-Range` such as `bytes 500-999/1234`. `nil` for other units and for impossible ranges.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let range = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, range.count == 2, let first = Int64(digits: range[0]),
            let last = Int64(digits: range[1]), first <= last
        else { return nil }
        total = Int64(digits: numbers[1])
        guard total != nil || numbers[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        self.first = first
        self.last = last
    }

    /// The length in a `Content-Range` such as `bytes */1234`, which reports that the requested range is empty.
    static func unsatisfiedTotal(_ text: String) -> Int64? {
        let prefix = "bytes */"
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        return Int64(digits: text.dropFirst(prefix.count))
    }
}

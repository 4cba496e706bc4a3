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

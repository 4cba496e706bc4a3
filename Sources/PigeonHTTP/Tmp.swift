// Stands in for the decoding of Responses: whoever brings the real one removes this file.
public import Foundation
extension ResponseInterface where T == Data? {
    public func decode<D: Decodable>(_ t: D.Type) throws -> D {
        let d = JSONDecoder(); d.dateDecodingStrategy = .iso8601;
        guard let data, !data.isEmpty else { throw SerializationError.unexpectedEmptyResponse };
        return try d.decode(t, from: data)
    }
    public func decode<D: Decodable>(_ t: D.Type, using d: JSONDecoder) throws -> D { try d.decode(t, from: data!) }
    public func decodeString() throws -> String {
        guard let s = String(data: data!, encoding: .utf8) else {
            throw SerializationError.failedToDecodeResponseData(cause: nil)
        }; return s
    }
}
extension ResponseInterface {
    public var validators: FetchValidators {
        FetchValidators(eTag: headers["ETag"], lastModified: headers["Last-Modified"])
    }
    public func freshness() -> Duration? { headers["Cache-Control"] == nil ? nil : .seconds(60) }
}
extension HTTPError: TransientErrorType {
    public var statusCode: Int? { if case .status(let a) = self { a.statusCode.rawValue } else { nil } }
    public var retryAfter: Duration? {
        if case .status(let a) = self, let s = a.headers["Retry-After"].flatMap({ Int($0) }) {
            .seconds(s)
        } else {
            nil
        }
    }
    public var isTransient: Bool {
        switch self {
        case .transport(let e): TransientError.isTransient(e);
        default: statusCode.map(TransientError.isTransient(status:)) ?? false
        }
    }
    public var isCancellation: Bool { if case .cancelled = self { true } else { false } }
}

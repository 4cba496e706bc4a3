/// The status of an answer (RFC 9110, 15).
public enum StatusCode: Sendable {
    /// 200.
    case ok
    /// One that has no case of its own.
    case other(Int)

    /// The status of a number.
    public init(rawValue: Int) {
        self = rawValue == 200 ? .ok : .other(rawValue)
    }

    /// The number.
    public var rawValue: Int {
        switch self {
        case .ok: 200
        case .other(let number): number
        }
    }

    /// What a status of 400 or more says.
    public func makeError(cause: (any Error)?) -> ResponseError? {
        rawValue >= 400 ? .unknown(cause: cause) : nil
    }
}

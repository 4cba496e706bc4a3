internal import Foundation
public import PigeonBase
internal import PigeonHTTP

extension RequestError: TransientErrorType {
    /// The same as ``httpStatusCode``, for retry policies.
    public var statusCode: Int? { httpStatusCode }

    /// The time that the server asked to wait.
    public var retryAfter: Duration? {
        (cause as? any TransientErrorType)?.retryAfter ?? entity.flatMap { HTTPHeaders($0.headers).retryAfter() }
    }

    /// True if a retry may help.
    public var isTransient: Bool {
        httpStatusCode.map(TransientError.isTransient(status:)) ?? cause.map(TransientError.isTransient) ?? false
    }
}

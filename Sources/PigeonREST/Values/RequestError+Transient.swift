internal import Foundation
public import PigeonBase
internal import PigeonHTTP

extension RequestError: TransientErrorType {
    /// ``httpStatusCode``, for retry policies.
    public var statusCode: Int? { httpStatusCode }

    /// How long the server asked to wait.
    public var retryAfter: Duration? {
        (cause as? any TransientErrorType)?.retryAfter ?? entity.flatMap { HTTPHeaders($0.headers).retryAfter() }
    }

    /// Whether trying again may help.
    public var isTransient: Bool {
        httpStatusCode.map(TransientError.isTransient(status:)) ?? cause.map(TransientError.isTransient) ?? false
    }
}

internal import Foundation

extension Entity where ContentType == any Sendable {
    /// The content as a type.
    ///
    /// - Parameter url: What was asked, for the error.
    /// - Throws: A ``RequestError`` with ``RequestError/Cause/WrongContentType`` for content of another type.
    func content<T>(as type: T.Type = T.self, at url: URL? = nil) throws(RequestError) -> T {
        guard let content = ContentCast.cast(content, to: T.self) else {
            let actual = Swift.type(of: content as Any)
            throw RequestError(RequestError.Cause.WrongContentType(expected: T.self, actual: actual), url: url)
        }
        return content
    }
}

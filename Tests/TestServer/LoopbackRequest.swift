package import Foundation
import NIOHTTP1
package import PigeonHTTP

/// A request as it reached the server.
package struct LoopbackRequest: Sendable {
    package let method: String
    /// The path and the query, as they were sent.
    package let target: String
    package let headers: PigeonHTTP.HTTPHeaders
    package var body = Data()
    /// The number of the connection on which it arrived, counted from 1.
    package let connection: Int

    init(_ head: HTTPRequestHead, connection: Int) {
        method = head.method.rawValue
        target = head.uri
        headers = PigeonHTTP.HTTPHeaders(
            head.headers.map { PigeonHTTP.HTTPHeaders.Field(name: $0.name, value: $0.value) })
        self.connection = connection
    }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
}

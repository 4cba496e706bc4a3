import Foundation
import PigeonHTTP

extension URL {
    /// An address that a test wrote down.
    static func of(_ text: String) throws(HTTPError) -> URL {
        guard let url = URL(string: text) else { throw .request(.invalidURL(cause: AddressError.invalidBaseURL(text))) }
        return url
    }
}

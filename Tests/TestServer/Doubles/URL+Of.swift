package import Foundation
package import PigeonHTTP

extension URL {
    /// Returns the URL of a text in a test.
    package static func of(_ text: String) throws(HTTPError) -> URL {
        guard let url = URL(string: text) else { throw .request(.invalidURL(cause: AddressError.invalidBaseURL(text))) }
        return url
    }
}

public import Foundation
internal import PigeonHTTP

/// Encodes the bodies of requests.
///
/// If a body cannot be encoded, the functions throw a ``RequestError`` with the cause, and the request is not sent.
package enum RequestBody {
    package static func text(_ text: String, encoding: String.Encoding) throws(RequestError) -> Data {
        guard let data = text.data(using: encoding) else {
            throw RequestError(RequestError.Cause.UnencodableText(encoding: encoding, text: text))
        }
        return data
    }

    /// Returns the content type with the name of the text encoding added, unless it already names an encoding.
    package static func contentType(_ type: String, encoding: String.Encoding) -> String {
        guard type.charsetName == nil, let name = encoding.charsetName else { return type }
        return "\(type); charset=\(name)"
    }

    /// Encodes in UTF-8, with sorted keys.
    package static func json(_ object: any JSONConvertible) throws(RequestError) -> Data {
        do {
            return try JSONText.data(of: object, options: [.sortedKeys])
        } catch {
            throw RequestError(RequestError.Cause.InvalidJSONObject())
        }
    }

    /// Sorts the pairs, and escapes all characters except letters, digits, "-", ".", "_" and "~".
    package static func urlEncoded(_ parameters: [String: String]) -> Data {
        let pairs = parameters.map { name, value in
            "\(name.escaped(allowing: .unreserved))=\(value.escaped(allowing: .unreserved))"
        }
        return Data(pairs.sorted().joined(separator: "&").utf8)
    }
}

/// A value that can be the body of a JSON request: an object or an array. Its content is checked when it is encoded.
public protocol JSONConvertible {}

extension NSDictionary: JSONConvertible {}
extension NSArray: JSONConvertible {}
extension Dictionary: JSONConvertible {}
extension Array: JSONConvertible {}

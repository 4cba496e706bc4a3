public import Foundation
internal import PigeonHTTP

/// Writes the bodies of requests.
///
/// What cannot be written throws a ``RequestError`` with the cause that says why; nothing is sent then.
package enum RequestBody {
    /// A text in an encoding.
    package static func text(_ text: String, encoding: String.Encoding) throws(RequestError) -> Data {
        guard let data = text.data(using: encoding) else {
            throw RequestError(RequestError.Cause.UnencodableText(encoding: encoding, text: text))
        }
        return data
    }

    /// A content type with the encoding of the text, unless it names one.
    package static func contentType(_ type: String, encoding: String.Encoding) -> String {
        guard type.charsetName == nil, let name = encoding.charsetName else { return type }
        return "\(type); charset=\(name)"
    }

    /// JSON in UTF-8, its objects sorted by key.
    package static func json(_ object: any JSONConvertible) throws(RequestError) -> Data {
        do {
            return try JSONText.data(of: object, options: [.sortedKeys])
        } catch {
            throw RequestError(RequestError.Cause.InvalidJSONObject())
        }
    }

    /// A form: pairs sorted as they are sent, all but letters, digits, "-", ".", "_" and "~" escaped.
    package static func urlEncoded(_ parameters: [String: String]) throws(RequestError) -> Data {
        let pairs = parameters.map { name, value in
            "\(name.escaped(allowing: .unreserved))=\(value.escaped(allowing: .unreserved))"
        }
        return Data(pairs.sorted().joined(separator: "&").utf8)
    }
}

/// What the body of a JSON request can be: an object or an array. What is in it is checked when it is written.
public protocol JSONConvertible {}

extension NSDictionary: JSONConvertible {}
extension NSArray: JSONConvertible {}
extension Dictionary: JSONConvertible {}
extension Array: JSONConvertible {}

internal import Foundation

extension HTTPHeaders.Field {
    /// Whether it says how long the body is: the transport knows (RFC 9112, 6).
    var isFraming: Bool { name.isSameHeader(as: "Content-Length") || name.isSameHeader(as: "Transfer-Encoding") }
}

extension HTTPHeaders {
    /// The fields without those that say how long the body is.
    var withoutFraming: HTTPHeaders {
        contains(where: \.isFraming) ? HTTPHeaders(filter { !$0.isFraming }) : self
    }

    /// The length of the body that the server named; `nil` if it named none. One that came twice is one (RFC 9110, 8.6).
    func contentLength() throws(TransportFault) -> Int64? {
        guard let text = self["Content-Length"] else { return nil }
        if let length = Int64(digits: text) { return length }
        let texts = text.split(separator: ",", omittingEmptySubsequences: false)
        let lengths = Set(texts.map { Int64(digits: $0.trimmingCharacters(in: .whitespaces)) })
        guard lengths.count == 1, let length = lengths.first ?? nil else { throw .length(text) }
        return length
    }
}

extension Int64 {
    /// A number of digits alone.
    fileprivate init?(digits text: String) {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self.init(text)
    }
}

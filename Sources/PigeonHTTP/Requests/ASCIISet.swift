/// A set of ASCII characters, asked once for each byte of an address or a header.
package struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    package init(_ characters: String) {
        for byte in characters.utf8 { insert(byte) }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }

    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    private static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// What a path holds as it is (RFC 3986, 3.3).
    package static let path = ASCIISet(alphanumerics + "-._~!$&'()*+,;=:@/")

    /// What a name or a value of a query holds as it is (RFC 3986, 3.4), without what tells names, values and items
    /// apart, and without "+", which many servers read as a space.
    package static let queryItem = ASCIISet(alphanumerics + "-._~!$'()*,:@/?")

    /// What the bytes of an escape are written with (RFC 3986, 2.1).
    static let hexDigits = ASCIISet("0123456789ABCDEFabcdef")

    /// What a header's name is made of (RFC 9110, 5.6.2).
    static let token = ASCIISet(alphanumerics + "!#$%&'*+-.^_`|~")

    /// What is the same to a shell, quoted or not.
    static let shellWord = ASCIISet(alphanumerics + "-._/:@+,")
}

extension [UInt8] {
    /// Appends a text, with each byte outside of a set written as "%" and two digits (RFC 3986, 2.1).
    ///
    /// - Returns: Whether no byte had to be.
    @discardableResult
    package mutating func append(encoding text: String, allowed: ASCIISet) -> Bool {
        let digits: StaticString = "0123456789ABCDEF"
        var isPlain = true
        for byte in text.utf8 {
            guard !allowed.contains(byte) else {
                append(byte)
                continue
            }
            isPlain = false
            append(UInt8(ascii: "%"))
            append(digits.utf8Start[Int(byte >> 4)])
            append(digits.utf8Start[Int(byte & 15)])
        }
        return isPlain
    }
}

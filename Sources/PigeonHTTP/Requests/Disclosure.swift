/// What a printed request or answer shows of what it holds back by default.
public struct Disclosure: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Passwords, tokens, cookies and keys, in the address and in the headers.
    public static let secrets = Disclosure(rawValue: 1)
    /// The body, which may hold secrets of its own.
    public static let body = Disclosure(rawValue: 2)
}

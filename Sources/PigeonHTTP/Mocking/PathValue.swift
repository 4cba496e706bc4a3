/// What stands in a path where a pattern has a component.
public enum PathValue: Sendable, Hashable {
    /// A text: a constant, or what a wildcard for strings found.
    case string(String)
    /// A number: what a wildcard for integers found.
    case integer(Int)

    /// The number: that of ``integer(_:)``, or the one a string is.
    public var integer: Int? {
        switch self {
        case .string(let text): text.first == "+" ? nil : Int(text)
        case .integer(let number): number
        }
    }

    /// The text, which for a number is its digits.
    public var string: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        }
    }
}

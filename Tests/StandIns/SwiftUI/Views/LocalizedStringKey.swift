/// Stands for `SwiftUI.LocalizedStringKey`. It is not looked up: what is written is what is shown.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// Stands for `LocalizedStringKey.StringInterpolation`.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""

        /// Stands for `StringInterpolation.init(literalCapacity:interpolationCount:)`.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Stands for `StringInterpolation.appendLiteral(_:)`.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Stands for `StringInterpolation.appendInterpolation(_:)` of a string.
        public mutating func appendInterpolation(_ string: String) { text += string }

        /// Stands for `StringInterpolation.appendInterpolation(_:)` of a number and the like.
        public mutating func appendInterpolation<T>(_ value: T) { text += "\(value)" }

        /// Stands for `StringInterpolation.appendInterpolation(_:)` of a text.
        public mutating func appendInterpolation(_ text: Text) { self.text += text.string }

        /// Stands for `StringInterpolation.appendInterpolation(_:specifier:)`.
        public mutating func appendInterpolation<T: CVarArg>(_ value: T, specifier: String) {
            text += String(format: specifier, value)
        }
    }

    let text: String

    /// Stands for `LocalizedStringKey.init(_:)`.
    public init(_ value: String) {
        text = value
    }

    /// Stands for `LocalizedStringKey.init(stringLiteral:)`.
    public init(stringLiteral value: String) {
        text = value
    }

    /// Stands for `LocalizedStringKey.init(stringInterpolation:)`.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }
}

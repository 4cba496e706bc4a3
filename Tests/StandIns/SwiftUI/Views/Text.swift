/// Stands for `SwiftUI.Text`.
public struct Text: Equatable, Sendable {
    let string: String

    /// Stands for `Text.init(_:)` with a string.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ content: S) {
        string = String(content)
    }

    /// Stands for `Text.init(_:tableName:bundle:comment:)`.
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        string = key.text
    }

    /// Stands for `Text.init(verbatim:)`.
    public init(verbatim content: String) {
        string = content
    }

    /// Stands for `+` of `Text`.
    public static func + (lhs: Text, rhs: Text) -> Text { Text(verbatim: lhs.string + rhs.string) }

    /// Stands for `Text.bold()`.
    public func bold() -> Text { self }
    /// Stands for `Text.italic()`.
    public func italic() -> Text { self }
    /// Stands for `Text.font(_:)`.
    public func font(_ font: Font?) -> Text { self }
    /// Stands for `Text.fontWeight(_:)`.
    public func fontWeight(_ weight: Font.Weight?) -> Text { self }
    /// Stands for `Text.foregroundColor(_:)`.
    public func foregroundColor(_ color: Color?) -> Text { self }
    /// Stands for `Text.monospacedDigit()`.
    public func monospacedDigit() -> Text { self }
    /// Stands for `Text.strikethrough(_:color:)`.
    public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text { self }
}

extension Text: View {
    /// Stands for `Text.Body`.
    public typealias Body = Never
}

extension Text: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {}

    func blocks(of node: Node) -> [Block] {
        guard !string.isEmpty else { return [] }
        guard node.surroundings.environment.redactionReasons.isEmpty else { return [["···"]] }
        return [string.components(separatedBy: "\n")]
    }
}

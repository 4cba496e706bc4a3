/// Stands for `SwiftUI.Spacer`.
public struct Spacer: View {
    /// Stands for `Spacer.Body`.
    public typealias Body = Never

    /// Stands for `Spacer.init(minLength:)`.
    nonisolated public init(minLength: CGFloat? = nil) {}
}

extension Spacer: Drawn {
    func plan(_ plan: inout Plan, in node: Node) {}
}

/// Stands for `SwiftUI.Divider`.
public struct Divider: View {
    /// Stands for `Divider.Body`.
    public typealias Body = Never

    /// Stands for `Divider.init()`.
    nonisolated public init() {}
}

extension Divider: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {}

    func blocks(of node: Node) -> [Block] { [["---"]] }
}

/// Stands for `SwiftUI.ProgressView`.
public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    /// Stands for `ProgressView.Body`.
    public typealias Body = Never
    private let label: Label?
    private let current: CurrentValueLabel?
    private let share: Double?

    private init(share: Double?, label: Label?, current: CurrentValueLabel?) {
        self.share = share
        self.label = label
        self.current = current
    }

    /// Stands for `ProgressView.init(value:total:label:currentValueLabel:)`.
    public init<V: BinaryFloatingPoint>(
        value: V?, total: V = 1.0, @ViewBuilder label: () -> Label,
        @ViewBuilder currentValueLabel: () -> CurrentValueLabel
    ) {
        self.init(share: Self.share(value, total), label: label(), current: currentValueLabel())
    }

    private static func share<V: BinaryFloatingPoint>(_ value: V?, _ total: V) -> Double? {
        value.map { total > 0 ? Double($0 / total) : 0 }
    }
}

extension ProgressView where CurrentValueLabel == EmptyView {
    /// Stands for `ProgressView.init()`.
    public init() where Label == EmptyView {
        self.init(share: nil, label: nil, current: nil)
    }

    /// Stands for `ProgressView.init(label:)`.
    public init(@ViewBuilder label: () -> Label) {
        self.init(share: nil, label: label(), current: nil)
    }

    /// Stands for `ProgressView.init(_:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey) where Label == Text {
        self.init(share: nil, label: Text(titleKey), current: nil)
    }

    /// Stands for `ProgressView.init(_:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S) where Label == Text {
        self.init(share: nil, label: Text(title), current: nil)
    }

    /// Stands for `ProgressView.init(value:total:)`.
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView {
        self.init(share: Self.share(value, total), label: nil, current: nil)
    }

    /// Stands for `ProgressView.init(value:total:label:)`.
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0, @ViewBuilder label: () -> Label) {
        self.init(share: Self.share(value, total), label: label(), current: nil)
    }

    /// Stands for `ProgressView.init(_:value:total:)` with a localized title.
    public init<V: BinaryFloatingPoint>(_ titleKey: LocalizedStringKey, value: V?, total: V = 1.0)
    where Label == Text {
        self.init(share: Self.share(value, total), label: Text(titleKey), current: nil)
    }

    /// Stands for `ProgressView.init(_:value:total:)`.
    @_disfavoredOverload
    public init<S: StringProtocol, V: BinaryFloatingPoint>(_ title: S, value: V?, total: V = 1.0)
    where Label == Text {
        self.init(share: Self.share(value, total), label: Text(title), current: nil)
    }
}

extension ProgressView: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        if let label { plan.add(label, .label) }
        if let current { plan.add(current) }
    }

    func blocks(of node: Node) -> [Block] {
        let percent = share.map { ["\(Int(($0 * 100).rounded()))%"] } ?? []
        let details = (node.lines(.label) + percent + node.lines(.content)).joined(separator: " ")
        return [[details.isEmpty ? "(progress)" : "(progress: \(details))"]]
    }
}

/// What changes nothing that a text can show.
extension View {
    /// Stands for `View.padding(_:_:)`.
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    /// Stands for `View.padding(_:)` with a length.
    public func padding(_ length: CGFloat) -> some View { self }
    /// Stands for `View.padding(_:)` with insets.
    public func padding(_ insets: EdgeInsets) -> some View { self }
    /// Stands for `View.font(_:)`.
    public func font(_ font: Font?) -> some View { self }
    /// Stands for `View.fontWeight(_:)`.
    public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    /// Stands for `View.bold(_:)`.
    public func bold(_ isActive: Bool = true) -> some View { self }
    /// Stands for `View.italic(_:)`.
    public func italic(_ isActive: Bool = true) -> some View { self }
    /// Stands for `View.monospacedDigit()`.
    public func monospacedDigit() -> some View { self }
    /// Stands for `View.foregroundColor(_:)`.
    public func foregroundColor(_ color: Color?) -> some View { self }
    /// Stands for `View.foregroundStyle(_:)`.
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    /// Stands for `View.tint(_:)`.
    public func tint(_ tint: Color?) -> some View { self }
    /// Stands for `View.frame(minWidth:idealWidth:maxWidth:minHeight:idealHeight:maxHeight:alignment:)`.
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    /// Stands for `View.fixedSize()`.
    public func fixedSize() -> some View { self }
    /// Stands for `View.fixedSize(horizontal:vertical:)`.
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    /// Stands for `View.aspectRatio(_:contentMode:)`.
    public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    /// Stands for `View.clipped(antialiased:)`.
    public func clipped(antialiased: Bool = false) -> some View { self }
    /// Stands for `View.allowsHitTesting(_:)`.
    public func allowsHitTesting(_ enabled: Bool) -> some View { self }
    /// Stands for `View.layoutPriority(_:)`.
    public func layoutPriority(_ value: Double) -> some View { self }
    /// Stands for `View.cornerRadius(_:antialiased:)`.
    public func cornerRadius(_ radius: CGFloat, antialiased: Bool = true) -> some View { self }
    /// Stands for `View.contentShape(_:eoFill:)`.
    public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { self }
    /// Stands for `View.clipShape(_:style:)`.
    public func clipShape<S: Shape>(_ shape: S) -> some View { self }
    /// Stands for `View.multilineTextAlignment(_:)`.
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    /// Stands for `View.lineLimit(_:)`.
    public func lineLimit(_ number: Int?) -> some View { self }
    /// Stands for `View.controlSize(_:)`.
    public func controlSize(_ controlSize: ControlSize) -> some View { self }
    /// Stands for `View.labelsHidden()`. The label stays in the text, since a test finds the control by it.
    public func labelsHidden() -> some View { self }
    /// Stands for `View.animation(_:value:)`.
    public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
    /// Stands for `View.transition(_:)`.
    public func transition(_ transition: AnyTransition) -> some View { self }
    /// Stands for `View.transaction(_:)`.
    public func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View { self }
    /// Stands for `View.listRowSeparator(_:edges:)`.
    public func listRowSeparator(_ visibility: Visibility, edges: VerticalEdge.Set = .all) -> some View { self }
    /// Stands for `View.listRowInsets(_:)`.
    public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
    /// Stands for `View.listRowBackground(_:)`.
    public func listRowBackground<V: View>(_ view: V?) -> some View { self }
    /// Stands for `View.previewDisplayName(_:)`.
    public func previewDisplayName(_ value: String?) -> some View { self }
    /// Stands for `View.ignoresSafeArea(_:edges:)`.
    public func ignoresSafeArea(edges: Edge.Set = .all) -> some View { self }
    /// Stands for `View.accessibilityHint(_:)`.
    @_disfavoredOverload
    public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View { self }
    /// Stands for `View.accessibilityValue(_:)`.
    @_disfavoredOverload
    public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View { self }
    /// Stands for `View.focused(_:)`.
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
    /// Stands for `View.focused(_:equals:)`.
    public func focused<Value: Hashable>(_ binding: FocusState<Value>.Binding, equals value: Value) -> some View {
        self
    }
    /// Stands for `View.submitLabel(_:)`.
    public func submitLabel(_ submitLabel: SubmitLabel) -> some View { self }
    /// Stands for `View.autocorrectionDisabled(_:)`.
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
}

/// Stands for `SwiftUI.AnyTransition`.
public struct AnyTransition {
    /// Stands for `AnyTransition.opacity`.
    public static var opacity: AnyTransition { AnyTransition() }
    /// Stands for `AnyTransition.slide`.
    public static var slide: AnyTransition { AnyTransition() }
    /// Stands for `AnyTransition.scale`.
    public static var scale: AnyTransition { AnyTransition() }
    /// Stands for `AnyTransition.identity`.
    public static var identity: AnyTransition { AnyTransition() }
    /// Stands for `AnyTransition.move(edge:)`.
    public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
    /// Stands for `AnyTransition.combined(with:)`.
    public func combined(with other: AnyTransition) -> AnyTransition { self }
}

/// Stands for `SwiftUI.AccessibilityChildBehavior`.
public struct AccessibilityChildBehavior: Hashable, Sendable {
    private let name: String
    /// Stands for `AccessibilityChildBehavior.ignore`.
    public static let ignore = AccessibilityChildBehavior(name: "ignore")
    /// Stands for `AccessibilityChildBehavior.combine`.
    public static let combine = AccessibilityChildBehavior(name: "combine")
    /// Stands for `AccessibilityChildBehavior.contain`.
    public static let contain = AccessibilityChildBehavior(name: "contain")
}

/// Stands for `SwiftUI.SubmitLabel`.
public struct SubmitLabel: Sendable {
    /// Stands for `SubmitLabel.done`.
    public static let done = SubmitLabel()
    /// Stands for `SubmitLabel.search`.
    public static let search = SubmitLabel()
    /// Stands for `SubmitLabel.send`.
    public static let send = SubmitLabel()
    /// Stands for `SubmitLabel.next`.
    public static let next = SubmitLabel()
}

extension VerticalEdge {
    /// Stands for `VerticalEdge.Set`.
    public struct Set: OptionSet, Sendable {
        /// Stands for `Set.rawValue`.
        public let rawValue: Int8
        /// Stands for `Set.init(rawValue:)`.
        public init(rawValue: Int8) { self.rawValue = rawValue }
        /// Stands for `Set.top`.
        public static let top = Set(rawValue: 1)
        /// Stands for `Set.bottom`.
        public static let bottom = Set(rawValue: 2)
        /// Stands for `Set.all`.
        public static let all: Set = [.top, .bottom]
    }
}

/// Stands for `SwiftUI.Shape`, which is also a view.
public protocol Shape: Sendable {
    /// Stands for `Shape.path(in:)`. Nothing calls it: nothing is drawn.
    func path(in rect: CGRect) -> Path
}

extension Shape where Self: _BuiltIn {
    /// Stands for the path of a shape of SwiftUI.
    public func path(in rect: CGRect) -> Path { Path() }
}

/// Stands for `SwiftUI.Path`.
public struct Path: Equatable, Sendable {
    /// Stands for `Path.init()`.
    public init() {}
}

/// Stands for `SwiftUI.Rectangle`.
public struct Rectangle: Shape, _BuiltIn {
    /// Stands for `Rectangle.init()`.
    public init() {}
}

/// Stands for `SwiftUI.Circle`.
public struct Circle: Shape, _BuiltIn {
    /// Stands for `Circle.init()`.
    public init() {}
}

/// Stands for `SwiftUI.RoundedRectangle`.
public struct RoundedRectangle: Shape, _BuiltIn {
    /// Stands for `RoundedRectangle.init(cornerRadius:)`.
    public init(cornerRadius: CGFloat) {}
}

extension Shape where Self == Rectangle {
    /// Stands for `Shape.rect`.
    public static var rect: Rectangle { Rectangle() }
}

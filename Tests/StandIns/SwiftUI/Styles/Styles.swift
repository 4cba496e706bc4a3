/// Stands for `SwiftUI.ListStyle`. Only styles of SwiftUI conform to the real one, whose requirements are not public.
@MainActor
@preconcurrency
public protocol ListStyle {
    /// Stands for the requirements that are not public.
    static var _look: Void { get }
}

extension ListStyle where Self: _BuiltIn {
    /// Stands for the look of a style of SwiftUI.
    public static var _look: Void { () }
}

/// Stands for `SwiftUI.DefaultListStyle`.
public struct DefaultListStyle: ListStyle, _BuiltIn {
    /// Stands for `DefaultListStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.PlainListStyle`.
public struct PlainListStyle: ListStyle, _BuiltIn {
    /// Stands for `PlainListStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.InsetGroupedListStyle`.
@available(macOS, unavailable)
public struct InsetGroupedListStyle: ListStyle, _BuiltIn {
    /// Stands for `InsetGroupedListStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.GroupedListStyle`.
@available(macOS, unavailable)
public struct GroupedListStyle: ListStyle, _BuiltIn {
    /// Stands for `GroupedListStyle.init()`.
    public init() {}
}

extension ListStyle where Self == DefaultListStyle {
    /// Stands for `ListStyle.automatic`.
    public static var automatic: DefaultListStyle { DefaultListStyle() }
}
extension ListStyle where Self == PlainListStyle {
    /// Stands for `ListStyle.plain`.
    public static var plain: PlainListStyle { PlainListStyle() }
}
@available(macOS, unavailable)
extension ListStyle where Self == InsetGroupedListStyle {
    /// Stands for `ListStyle.insetGrouped`.
    public static var insetGrouped: InsetGroupedListStyle { InsetGroupedListStyle() }
}
@available(macOS, unavailable)
extension ListStyle where Self == GroupedListStyle {
    /// Stands for `ListStyle.grouped`.
    public static var grouped: GroupedListStyle { GroupedListStyle() }
}

/// Stands for `SwiftUI.PrimitiveButtonStyle`.
@MainActor
@preconcurrency
public protocol PrimitiveButtonStyle {
    /// Stands for `PrimitiveButtonStyle.Body`.
    associatedtype Body: View
    /// Stands for `PrimitiveButtonStyle.makeBody(configuration:)`. Nothing calls it: styles have no effect.
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
    /// Stands for `PrimitiveButtonStyle.Configuration`.
    typealias Configuration = PrimitiveButtonStyleConfiguration
}

extension PrimitiveButtonStyle where Self: _BuiltIn {
    /// Stands for the look of a style of SwiftUI.
    public func makeBody(configuration: Configuration) -> some View { EmptyView() }
}

/// Stands for `SwiftUI.PrimitiveButtonStyleConfiguration`.
public struct PrimitiveButtonStyleConfiguration {
    /// Stands for `PrimitiveButtonStyleConfiguration.role`.
    public let role: ButtonRole?
    /// Stands for `PrimitiveButtonStyleConfiguration.label`.
    public let label: AnyView

    /// Stands for `PrimitiveButtonStyleConfiguration.trigger()`.
    public func trigger() {}
}

/// Stands for `SwiftUI.DefaultButtonStyle`.
public struct DefaultButtonStyle: PrimitiveButtonStyle, _BuiltIn {
    /// Stands for `DefaultButtonStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.BorderedButtonStyle`.
public struct BorderedButtonStyle: PrimitiveButtonStyle, _BuiltIn {
    /// Stands for `BorderedButtonStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.BorderedProminentButtonStyle`.
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle, _BuiltIn {
    /// Stands for `BorderedProminentButtonStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.BorderlessButtonStyle`.
public struct BorderlessButtonStyle: PrimitiveButtonStyle, _BuiltIn {
    /// Stands for `BorderlessButtonStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.PlainButtonStyle`.
public struct PlainButtonStyle: PrimitiveButtonStyle, _BuiltIn {
    /// Stands for `PlainButtonStyle.init()`.
    public init() {}
}

extension PrimitiveButtonStyle where Self == DefaultButtonStyle {
    /// Stands for `PrimitiveButtonStyle.automatic`.
    public static var automatic: DefaultButtonStyle { DefaultButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    /// Stands for `PrimitiveButtonStyle.bordered`.
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    /// Stands for `PrimitiveButtonStyle.borderedProminent`.
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    /// Stands for `PrimitiveButtonStyle.borderless`.
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    /// Stands for `PrimitiveButtonStyle.plain`.
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

/// Stands for `SwiftUI.TextFieldStyle`. Only styles of SwiftUI conform to the real one, whose requirements are not public.
@MainActor
@preconcurrency
public protocol TextFieldStyle {
    /// Stands for the requirements that are not public.
    static var _look: Void { get }
}

extension TextFieldStyle where Self: _BuiltIn {
    /// Stands for the look of a style of SwiftUI.
    public static var _look: Void { () }
}

/// Stands for `SwiftUI.RoundedBorderTextFieldStyle`.
public struct RoundedBorderTextFieldStyle: TextFieldStyle, _BuiltIn {
    /// Stands for `RoundedBorderTextFieldStyle.init()`.
    public init() {}
}
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    /// Stands for `TextFieldStyle.roundedBorder`.
    public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
}

/// Stands for `SwiftUI.PickerStyle`. Only styles of SwiftUI conform to the real one, whose requirements are not public.
@MainActor
@preconcurrency
public protocol PickerStyle {
    /// Stands for the requirements that are not public.
    static var _look: Void { get }
}

extension PickerStyle where Self: _BuiltIn {
    /// Stands for the look of a style of SwiftUI.
    public static var _look: Void { () }
}

/// Stands for `SwiftUI.SegmentedPickerStyle`.
public struct SegmentedPickerStyle: PickerStyle, _BuiltIn {
    /// Stands for `SegmentedPickerStyle.init()`.
    public init() {}
}
extension PickerStyle where Self == SegmentedPickerStyle {
    /// Stands for `PickerStyle.segmented`.
    public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}

/// Stands for `SwiftUI.ProgressViewStyle`.
@MainActor
@preconcurrency
public protocol ProgressViewStyle {
    /// Stands for `ProgressViewStyle.Body`.
    associatedtype Body: View
    /// Stands for `ProgressViewStyle.makeBody(configuration:)`. Nothing calls it: styles have no effect.
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
    /// Stands for `ProgressViewStyle.Configuration`.
    typealias Configuration = ProgressViewStyleConfiguration
}

extension ProgressViewStyle where Self: _BuiltIn {
    /// Stands for the look of a style of SwiftUI.
    public func makeBody(configuration: Configuration) -> some View { EmptyView() }
}

/// Stands for `SwiftUI.ProgressViewStyleConfiguration`.
public struct ProgressViewStyleConfiguration {
    /// Stands for `ProgressViewStyleConfiguration.fractionCompleted`.
    public let fractionCompleted: Double?
    /// Stands for `ProgressViewStyleConfiguration.label`.
    public let label: AnyView?
    /// Stands for `ProgressViewStyleConfiguration.currentValueLabel`.
    public let currentValueLabel: AnyView?
}

/// Stands for `SwiftUI.CircularProgressViewStyle`.
public struct CircularProgressViewStyle: ProgressViewStyle, _BuiltIn {
    /// Stands for `CircularProgressViewStyle.init()`.
    public init() {}
}
/// Stands for `SwiftUI.LinearProgressViewStyle`.
public struct LinearProgressViewStyle: ProgressViewStyle, _BuiltIn {
    /// Stands for `LinearProgressViewStyle.init()`.
    public init() {}
}
extension ProgressViewStyle where Self == CircularProgressViewStyle {
    /// Stands for `ProgressViewStyle.circular`.
    public static var circular: CircularProgressViewStyle { CircularProgressViewStyle() }
}
extension ProgressViewStyle where Self == LinearProgressViewStyle {
    /// Stands for `ProgressViewStyle.linear`.
    public static var linear: LinearProgressViewStyle { LinearProgressViewStyle() }
}

extension View {
    /// Stands for `View.listStyle(_:)`.
    public func listStyle<S: ListStyle>(_ style: S) -> some View { self }
    /// Stands for `View.buttonStyle(_:)`.
    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    /// Stands for `View.textFieldStyle(_:)`.
    public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { self }
    /// Stands for `View.pickerStyle(_:)`.
    public func pickerStyle<S: PickerStyle>(_ style: S) -> some View { self }
    /// Stands for `View.progressViewStyle(_:)`.
    public func progressViewStyle<S: ProgressViewStyle>(_ style: S) -> some View { self }
}

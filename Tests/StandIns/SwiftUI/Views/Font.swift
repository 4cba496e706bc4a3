/// Stands for `SwiftUI.Font`.
public struct Font: Hashable, Sendable {
    /// Stands for `Font.Weight`.
    public struct Weight: Hashable, Sendable {
        private let name: String
        /// Stands for `Weight.light`.
        public static let light = Weight(name: "light")
        /// Stands for `Weight.regular`.
        public static let regular = Weight(name: "regular")
        /// Stands for `Weight.medium`.
        public static let medium = Weight(name: "medium")
        /// Stands for `Weight.semibold`.
        public static let semibold = Weight(name: "semibold")
        /// Stands for `Weight.bold`.
        public static let bold = Weight(name: "bold")
    }

    /// Stands for `Font.Design`.
    public enum Design: Hashable, Sendable {
        /// Stands for the cases of `Font.Design`.
        case `default`, serif, rounded, monospaced
    }

    private let name: String

    /// Stands for `Font.largeTitle`.
    public static let largeTitle = Font(name: "largeTitle")
    /// Stands for `Font.title`.
    public static let title = Font(name: "title")
    /// Stands for `Font.title2`.
    public static let title2 = Font(name: "title2")
    /// Stands for `Font.title3`.
    public static let title3 = Font(name: "title3")
    /// Stands for `Font.headline`.
    public static let headline = Font(name: "headline")
    /// Stands for `Font.subheadline`.
    public static let subheadline = Font(name: "subheadline")
    /// Stands for `Font.body`.
    public static let body = Font(name: "body")
    /// Stands for `Font.callout`.
    public static let callout = Font(name: "callout")
    /// Stands for `Font.footnote`.
    public static let footnote = Font(name: "footnote")
    /// Stands for `Font.caption`.
    public static let caption = Font(name: "caption")
    /// Stands for `Font.caption2`.
    public static let caption2 = Font(name: "caption2")

    /// Stands for `Font.system(size:weight:design:)`.
    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font {
        Font(name: "system \(size)")
    }

    /// Stands for `Font.bold()`.
    public func bold() -> Font { self }
    /// Stands for `Font.weight(_:)`.
    public func weight(_ weight: Weight) -> Font { self }
    /// Stands for `Font.monospaced()`.
    public func monospaced() -> Font { self }
    /// Stands for `Font.monospacedDigit()`.
    public func monospacedDigit() -> Font { self }
}

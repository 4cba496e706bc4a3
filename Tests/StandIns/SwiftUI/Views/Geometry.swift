/// Stands for `SwiftUI.Axis`.
public enum Axis: Int8, CaseIterable, Sendable {
    /// Stands for the cases of `Axis`.
    case horizontal, vertical

    /// Stands for `Axis.Set`.
    public struct Set: OptionSet, Sendable {
        /// Stands for `Set.rawValue`.
        public let rawValue: Int8
        /// Stands for `Set.init(rawValue:)`.
        public init(rawValue: Int8) { self.rawValue = rawValue }
        /// Stands for `Set.horizontal`.
        public static let horizontal = Set(rawValue: 1)
        /// Stands for `Set.vertical`.
        public static let vertical = Set(rawValue: 2)
    }
}

/// Stands for `SwiftUI.Edge`.
public enum Edge: Int8, CaseIterable, Sendable {
    /// Stands for the cases of `Edge`.
    case top, leading, bottom, trailing

    /// Stands for `Edge.Set`.
    public struct Set: OptionSet, Sendable {
        /// Stands for `Set.rawValue`.
        public let rawValue: Int8
        /// Stands for `Set.init(rawValue:)`.
        public init(rawValue: Int8) { self.rawValue = rawValue }
        /// Stands for `Set.top`.
        public static let top = Set(rawValue: 1)
        /// Stands for `Set.leading`.
        public static let leading = Set(rawValue: 2)
        /// Stands for `Set.bottom`.
        public static let bottom = Set(rawValue: 4)
        /// Stands for `Set.trailing`.
        public static let trailing = Set(rawValue: 8)
        /// Stands for `Set.horizontal`.
        public static let horizontal: Set = [.leading, .trailing]
        /// Stands for `Set.vertical`.
        public static let vertical: Set = [.top, .bottom]
        /// Stands for `Set.all`.
        public static let all: Set = [.horizontal, .vertical]
    }
}

/// Stands for `SwiftUI.EdgeInsets`.
public struct EdgeInsets: Equatable, Sendable {
    /// Stands for `EdgeInsets.top`.
    public var top: CGFloat
    /// Stands for `EdgeInsets.leading`.
    public var leading: CGFloat
    /// Stands for `EdgeInsets.bottom`.
    public var bottom: CGFloat
    /// Stands for `EdgeInsets.trailing`.
    public var trailing: CGFloat

    /// Stands for `EdgeInsets.init(top:leading:bottom:trailing:)`.
    public init(top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }
}

/// Stands for `SwiftUI.HorizontalEdge`.
public enum HorizontalEdge: Int8, CaseIterable, Sendable {
    /// Stands for the cases of `HorizontalEdge`.
    case leading, trailing
}

/// Stands for `SwiftUI.VerticalEdge`.
public enum VerticalEdge: Int8, CaseIterable, Sendable {
    /// Stands for the cases of `VerticalEdge`.
    case top, bottom
}

/// Stands for `SwiftUI.HorizontalAlignment`.
public struct HorizontalAlignment: Hashable, Sendable {
    private let name: String
    /// Stands for `HorizontalAlignment.leading`.
    public static let leading = HorizontalAlignment(name: "leading")
    /// Stands for `HorizontalAlignment.center`.
    public static let center = HorizontalAlignment(name: "center")
    /// Stands for `HorizontalAlignment.trailing`.
    public static let trailing = HorizontalAlignment(name: "trailing")
}

/// Stands for `SwiftUI.VerticalAlignment`.
public struct VerticalAlignment: Hashable, Sendable {
    private let name: String
    /// Stands for `VerticalAlignment.top`.
    public static let top = VerticalAlignment(name: "top")
    /// Stands for `VerticalAlignment.center`.
    public static let center = VerticalAlignment(name: "center")
    /// Stands for `VerticalAlignment.bottom`.
    public static let bottom = VerticalAlignment(name: "bottom")
    /// Stands for `VerticalAlignment.firstTextBaseline`.
    public static let firstTextBaseline = VerticalAlignment(name: "firstTextBaseline")
    /// Stands for `VerticalAlignment.lastTextBaseline`.
    public static let lastTextBaseline = VerticalAlignment(name: "lastTextBaseline")
}

/// Stands for `SwiftUI.Alignment`.
public struct Alignment: Hashable, Sendable {
    /// Stands for `Alignment.horizontal`.
    public var horizontal: HorizontalAlignment
    /// Stands for `Alignment.vertical`.
    public var vertical: VerticalAlignment

    /// Stands for `Alignment.init(horizontal:vertical:)`.
    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// Stands for `Alignment.center`.
    public static let center = Alignment(horizontal: .center, vertical: .center)
    /// Stands for `Alignment.leading`.
    public static let leading = Alignment(horizontal: .leading, vertical: .center)
    /// Stands for `Alignment.trailing`.
    public static let trailing = Alignment(horizontal: .trailing, vertical: .center)
    /// Stands for `Alignment.top`.
    public static let top = Alignment(horizontal: .center, vertical: .top)
    /// Stands for `Alignment.bottom`.
    public static let bottom = Alignment(horizontal: .center, vertical: .bottom)
    /// Stands for `Alignment.topLeading`.
    public static let topLeading = Alignment(horizontal: .leading, vertical: .top)
    /// Stands for `Alignment.topTrailing`.
    public static let topTrailing = Alignment(horizontal: .trailing, vertical: .top)
    /// Stands for `Alignment.bottomLeading`.
    public static let bottomLeading = Alignment(horizontal: .leading, vertical: .bottom)
    /// Stands for `Alignment.bottomTrailing`.
    public static let bottomTrailing = Alignment(horizontal: .trailing, vertical: .bottom)
}

/// Stands for `SwiftUI.TextAlignment`.
public enum TextAlignment: Hashable, CaseIterable, Sendable {
    /// Stands for the cases of `TextAlignment`.
    case leading, center, trailing
}

/// Stands for `SwiftUI.Visibility`.
public enum Visibility: Hashable, CaseIterable, Sendable {
    /// Stands for the cases of `Visibility`.
    case automatic, visible, hidden
}

/// Stands for `SwiftUI.ControlSize`.
public enum ControlSize: CaseIterable, Sendable {
    /// Stands for the cases of `ControlSize`.
    case mini, small, regular, large
}

/// Stands for `SwiftUI.PinnedScrollableViews`.
public struct PinnedScrollableViews: OptionSet, Sendable {
    /// Stands for `PinnedScrollableViews.rawValue`.
    public let rawValue: UInt32
    /// Stands for `PinnedScrollableViews.init(rawValue:)`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Stands for `PinnedScrollableViews.sectionHeaders`.
    public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
    /// Stands for `PinnedScrollableViews.sectionFooters`.
    public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
}

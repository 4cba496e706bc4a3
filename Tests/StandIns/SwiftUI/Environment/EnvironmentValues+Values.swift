/// Stands for `SwiftUI.ScenePhase`.
public enum ScenePhase: Comparable, Hashable, Sendable {
    /// Stands for the cases of `ScenePhase`.
    case background, inactive, active
}

/// Stands for `SwiftUI.ColorScheme`.
public enum ColorScheme: CaseIterable, Hashable, Sendable {
    /// Stands for the cases of `ColorScheme`.
    case light, dark
}

private enum ScenePhaseKey: EnvironmentKey {
    static let defaultValue = ScenePhase.active
}

private enum ColorSchemeKey: EnvironmentKey {
    static let defaultValue = ColorScheme.light
}

private enum LocaleKey: EnvironmentKey {
    static let defaultValue = Locale(identifier: "en_US")
}

private enum IsEnabledKey: EnvironmentKey {
    static let defaultValue = true
}

private enum RefreshKey: EnvironmentKey {
    static let defaultValue: RefreshAction? = nil
}

private enum DismissKey: EnvironmentKey {
    static var defaultValue: DismissAction { DismissAction {} }
}

private enum RedactionKey: EnvironmentKey {
    static let defaultValue = RedactionReasons()
}

private enum DynamicTypeSizeKey: EnvironmentKey {
    static let defaultValue = DynamicTypeSize.large
}

private enum ReduceMotionKey: EnvironmentKey {
    static let defaultValue = false
}

private enum DisplayScaleKey: EnvironmentKey {
    static let defaultValue: CGFloat = 2
}

private enum IsPresentedKey: EnvironmentKey {
    static let defaultValue = false
}

extension EnvironmentValues {
    /// Stands for `EnvironmentValues.scenePhase`.
    public var scenePhase: ScenePhase {
        get { self[ScenePhaseKey.self] }
        set { self[ScenePhaseKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.colorScheme`.
    public var colorScheme: ColorScheme {
        get { self[ColorSchemeKey.self] }
        set { self[ColorSchemeKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.locale`.
    public var locale: Locale {
        get { self[LocaleKey.self] }
        set { self[LocaleKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.dynamicTypeSize`.
    public var dynamicTypeSize: DynamicTypeSize {
        get { self[DynamicTypeSizeKey.self] }
        set { self[DynamicTypeSizeKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.accessibilityReduceMotion`, which only the user can set.
    public package(set) var accessibilityReduceMotion: Bool {
        get { self[ReduceMotionKey.self] }
        set { self[ReduceMotionKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.displayScale`.
    public var displayScale: CGFloat {
        get { self[DisplayScaleKey.self] }
        set { self[DisplayScaleKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.isEnabled`.
    public var isEnabled: Bool {
        get { self[IsEnabledKey.self] }
        set { self[IsEnabledKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.refresh`.
    public var refresh: RefreshAction? { self[RefreshKey.self] }

    /// What `refresh` says.
    var refreshAction: RefreshAction? {
        get { self[RefreshKey.self] }
        set { self[RefreshKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.dismiss`.
    public var dismiss: DismissAction { self[DismissKey.self] }

    /// What `dismiss` says.
    var dismissAction: DismissAction {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.isPresented`.
    public var isPresented: Bool { self[IsPresentedKey.self] }

    /// What `isPresented` says.
    var isOnTop: Bool {
        get { self[IsPresentedKey.self] }
        set { self[IsPresentedKey.self] = newValue }
    }

    /// Stands for `EnvironmentValues.redactionReasons`.
    public var redactionReasons: RedactionReasons {
        get { self[RedactionKey.self] }
        set { self[RedactionKey.self] = newValue }
    }
}

/// Stands for `SwiftUI.DynamicTypeSize`.
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    /// Stands for the cases of `DynamicTypeSize`.
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    /// Stands for the cases of `DynamicTypeSize` for accessibility.
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    /// Stands for `DynamicTypeSize.isAccessibilitySize`.
    public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

/// Stands for `SwiftUI.RedactionReasons`.
public struct RedactionReasons: OptionSet, Sendable {
    /// Stands for `RedactionReasons.rawValue`.
    public let rawValue: Int

    /// Stands for `RedactionReasons.init(rawValue:)`.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Stands for `RedactionReasons.placeholder`.
    public static let placeholder = RedactionReasons(rawValue: 1)
    /// Stands for `RedactionReasons.privacy`.
    public static let privacy = RedactionReasons(rawValue: 2)
}

public import Foundation

/// Stands for `WidgetKit.TimelineEntry`.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public protocol TimelineEntry {
    /// Stands for `TimelineEntry.date`.
    var date: Date { get }
    /// Stands for `TimelineEntry.relevance`.
    var relevance: TimelineEntryRelevance? { get }
}

@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
extension TimelineEntry {
    /// Stands for the default of `TimelineEntry.relevance`.
    public var relevance: TimelineEntryRelevance? { nil }
}

/// Stands for `WidgetKit.TimelineEntryRelevance`.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public struct TimelineEntryRelevance: Codable, Hashable, Sendable {
    /// Stands for `TimelineEntryRelevance.score`.
    public var score: Float
    /// Stands for `TimelineEntryRelevance.duration`.
    public var duration: TimeInterval

    /// Stands for `TimelineEntryRelevance.init(score:duration:)`.
    public init(score: Float, duration: TimeInterval = 0) {
        (self.score, self.duration) = (score, duration)
    }
}

/// Stands for `WidgetKit.TimelineReloadPolicy`.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public struct TimelineReloadPolicy: Equatable, Sendable {
    private let date: Date?

    /// Stands for `TimelineReloadPolicy.atEnd`.
    public static let atEnd = TimelineReloadPolicy(date: .distantPast)
    /// Stands for `TimelineReloadPolicy.never`.
    public static let never = TimelineReloadPolicy(date: nil)

    /// Stands for `TimelineReloadPolicy.after(_:)`.
    public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy(date: date) }
}

/// Stands for `WidgetKit.Timeline`.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public struct Timeline<EntryType: TimelineEntry> {
    /// Stands for `Timeline.entries`.
    public let entries: [EntryType]
    /// Stands for `Timeline.policy`.
    public let policy: TimelineReloadPolicy

    /// Stands for `Timeline.init(entries:policy:)`.
    public init(entries: [EntryType], policy: TimelineReloadPolicy) {
        (self.entries, self.policy) = (entries, policy)
    }
}

@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
extension Timeline: Sendable where EntryType: Sendable {}

/// Stands for `WidgetKit.TimelineProviderContext`, without the widget's family and its size.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public struct TimelineProviderContext {
    /// Stands for `TimelineProviderContext.isPreview`.
    public let isPreview: Bool

    /// Creates a context for a test. Only the system creates a real one.
    package init(isPreview: Bool = false) {
        self.isPreview = isPreview
    }
}

/// Stands for `WidgetKit.TimelineProvider`. Called on any thread.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public protocol TimelineProvider {
    /// Stands for `TimelineProvider.Entry`.
    associatedtype Entry: TimelineEntry
    /// Stands for `TimelineProvider.Context`.
    typealias Context = TimelineProviderContext
    /// Stands for `TimelineProvider.placeholder(in:)`.
    func placeholder(in context: Context) -> Entry
    /// Stands for `TimelineProvider.getSnapshot(in:completion:)`.
    @preconcurrency func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
    /// Stands for `TimelineProvider.getTimeline(in:completion:)`.
    @preconcurrency func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}

/// Stands for `WidgetKit.WidgetCenter`. Called from any thread.
@available(iOS 14.0, macOS 11.0, watchOS 9.0, visionOS 26.0, *)
@available(tvOS, unavailable)
public final class WidgetCenter: @unchecked Sendable {  // the lock guards what changes
    /// Stands for `WidgetCenter.shared`.
    public static let shared = WidgetCenter()
    private let lock = NSLock()
    private var kinds: [String] = []

    /// The kinds of widgets that were reloaded so far.
    package var reloads: [String] { lock.withLock { kinds } }

    /// Stands for `WidgetCenter.reloadTimelines(ofKind:)`.
    public func reloadTimelines(ofKind kind: String) {
        lock.withLock { kinds.append(kind) }
    }
}

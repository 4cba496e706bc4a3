import Foundation

// The few declarations of BackgroundTasks and WidgetKit that the articles use. They do nothing but note calls.

/// Stands for `BackgroundTasks.BGAppRefreshTaskRequest`.
final class BGAppRefreshTaskRequest {
    let identifier: String
    var earliestBeginDate: Date?

    init(identifier: String) {
        self.identifier = identifier
    }
}

/// Stands for `BackgroundTasks.BGTask`.
final class BGTask: @unchecked Sendable {  // as the real one is used
    var expirationHandler: (() -> Void)?

    func setTaskCompleted(success: Bool) {}
}

/// Stands for `BackgroundTasks.BGTaskScheduler`.
final class BGTaskScheduler: @unchecked Sendable {  // used by one test
    static let shared = BGTaskScheduler()
    private(set) var identifiers: [String] = []

    func submit(_ request: BGAppRefreshTaskRequest) throws { identifiers.append(request.identifier) }

    @discardableResult
    func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?, launchHandler: @escaping (BGTask) -> Void
    ) -> Bool { true }
}

/// Stands for `WidgetKit.TimelineEntry`.
protocol TimelineEntry {
    var date: Date { get }
}

/// Stands for `WidgetKit.TimelineReloadPolicy`.
struct TimelineReloadPolicy {
    static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy() }
}

/// Stands for `WidgetKit.Timeline`.
struct Timeline<EntryType: TimelineEntry> {
    let entries: [EntryType]
    let policy: TimelineReloadPolicy
}

/// Stands for `WidgetKit.TimelineProvider`, without its functions, which have completion handlers.
protocol TimelineProvider {}

/// Stands for `WidgetKit.WidgetCenter`.
@MainActor
final class WidgetCenter {
    static let shared = WidgetCenter()
    private(set) var reloads: [String] = []

    func reloadTimelines(ofKind kind: String) { reloads.append(kind) }
}

extension FileManager {
    private static let containers = FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID())")

    /// Stands for `containerURL(forSecurityApplicationGroupIdentifier:)`.
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        Self.containers.appendingPathComponent(groupIdentifier)
    }

    static func removeContainers() {
        try? FileManager.default.removeItem(at: containers)
    }
}

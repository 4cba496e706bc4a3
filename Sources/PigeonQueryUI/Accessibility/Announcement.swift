#if canImport(SwiftUI)
    internal import Accessibility
    internal import Foundation
    internal import PigeonBase
    public import SwiftUI
    #if canImport(UIKit) && !os(watchOS)
        internal import UIKit
    #elseif canImport(AppKit)
        internal import AppKit
    #endif

    /// Speaks a text to a user of a screen reader.
    package typealias Announce = @MainActor @Sendable (String) -> Void

    @MainActor
    package enum Announcement {
        private static var pending: [String] = []
        private static let scheduler = MainScheduler()

        /// Announces a text, after the updates that are under way. Views that have the same text at the same time, such as
        /// those of a screen whose queries end together, announce it once.
        package static func post(_ text: String) {
            if !pending.contains(text) { pending.append(text) }
            scheduler.schedule {
                let texts = pending
                pending = []
                for text in texts { send(text) }
            }
        }

        /// Announces a text when those before it have been spoken. By default, a text would cut off the one before.
        private static func send(_ text: String) {
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                var queued = AttributedString(text)
                queued.accessibilitySpeechAnnouncementPriority = .low
                return AccessibilityNotification.Announcement(queued).post()
            }
            #if canImport(UIKit) && !os(watchOS)
                let queued = NSAttributedString(string: text, attributes: [.accessibilitySpeechQueueAnnouncement: true])
                UIAccessibility.post(notification: .announcement, argument: queued)
            #elseif canImport(AppKit)
                // AppKit has no queue of announcements.
                NSAccessibility.post(
                    element: NSApplication.shared.mainWindow as Any, notification: .announcementRequested,
                    userInfo: [.announcement: text])
            #endif
        }
    }

    extension View {
        /// Sets whether the views inside this one announce to users of VoiceOver that a load has ended, or has failed. They
        /// do by default.
        ///
        /// Only loads that a user waits for are announced: those without content to show, and those that the user starts by
        /// pulling a list down. A refetch of content that is on screen is not, and neither is a load of a view that is not on
        /// screen, such as below another page. A screen that makes its own announcements turns these off.
        public func announcesLoads(_ announces: Bool) -> some View {
            transformEnvironment(\.announce) { if !announces { $0 = { _ in } } }
        }
    }

    extension EnvironmentValues {
        /// Announces the end of loads.
        package var announce: Announce {
            get { self[AnnounceKey.self] }
            set { self[AnnounceKey.self] = newValue }
        }
    }

    private struct AnnounceKey: EnvironmentKey {
        static var defaultValue: Announce { { Announcement.post($0) } }
    }

    /// The progress of a load for which a user waits, with the text that announces it.
    struct Wait: Equatable {
        private enum Stage {
            case none, loading, offline, ended, failed
        }

        private let stage: Stage
        /// `nil` for progress that is not announced.
        let text: String?

        private init(_ stage: Stage, _ text: String?) {
            (self.stage, self.text) = (stage, text)
        }

        init<Content>(_ state: ViewState<Content>) {
            switch state.phase {
            case .idle: self.init(.none, nil)
            case .loading where state.isWaiting: self.init(.offline, UserText.waitingForNetwork.text)
            case .loading: self.init(.loading, nil)
            case .content: self.init(.ended, UserText.loaded.text)
            case .empty: self.init(.ended, UserText.nothingHere.text)
            case .failure(let error): self.init(.failed, error.userMessage)
            }
        }

        /// The wait for another page. Its success needs no announcement, because its rows appear.
        @MainActor
        init(_ page: PageSource.State) {
            if let error = page.error, !page.isLoading {
                self.init(.failed, error.userMessage)
            } else {
                self.init(.loading, nil)
            }
        }

        /// Content that changes is no progress, even if it becomes empty.
        static func == (one: Wait, other: Wait) -> Bool {
            one.stage == other.stage && (one.stage != .failed || one.text == other.text)
        }
    }

    /// Remembers the progress that a view has shown, for as long as the view exists, to announce each step once.
    ///
    /// The view notes its progress while it is built. The modifier `onChange` would not do: around a choice of views, it
    /// begins anew with each of them.
    @MainActor
    final class WaitMemory {
        private var last: Wait?
        /// Number of parts of the view on screen. `nil` before the first one has appeared. A part may appear before the one
        /// that it replaces disappears.
        private var appearances: Int?

        nonisolated init() {}

        /// False in a tab that is not selected, and below another page. Such a view is built like any other.
        var isOnScreen: Bool { appearances != 0 }

        func note(_ wait: Wait, _ announce: Announce) {
            defer { last = wait }
            guard isOnScreen, let last, last != wait, let text = wait.text else { return }
            announce(text)
        }

        func count(_ change: Int) {
            appearances = max(0, (appearances ?? 0) + change)
        }
    }

    extension View {
        /// Lets a memory know whether this view is on screen.
        func isSeen(by memory: WaitMemory) -> some View {
            onAppear { memory.count(1) }.onDisappear { memory.count(-1) }
        }

        /// Refetches when the user pulls a list down, and announces the result. SwiftUI may cancel the action together
        /// with its view: then there is nothing to announce.
        ///
        /// - Parameter refetch: Refetches, and returns the text to announce. `nil` for none.
        func refreshable(announcing refetch: @escaping @MainActor () async -> String?) -> some View {
            modifier(AnnouncedRefresh(refetch: refetch))
        }
    }

    private struct AnnouncedRefresh: ViewModifier {
        let refetch: @MainActor () async -> String?

        @State private var memory = WaitMemory()
        @Environment(\.announce) private var announce

        func body(content: Content) -> some View {
            content
                .refreshable { [announce, refetch, memory] in
                    guard let result = await refetch(), !Task.isCancelled, memory.isOnScreen else { return }
                    announce(result)
                }
                .isSeen(by: memory)
        }
    }

    extension ViewState {
        /// The text that announces this state as the result of a refetch, behind content or not. `nil` if nothing was
        /// requested.
        var refetchResult: String? {
            if isWaiting { return UserText.waitingForNetwork.text }
            return error?.userMessage ?? Wait(self).text
        }
    }
#endif

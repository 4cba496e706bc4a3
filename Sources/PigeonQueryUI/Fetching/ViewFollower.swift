#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    package import SwiftUI

    /// Follows one source at a time for the lifetime of a view, and announces the changes of the source to the view.
    ///
    /// The property that has the follower reads the source. It calls ``follow(_:)`` when the view shows another source than
    /// before, such as that of another client.
    @MainActor
    package final class ViewFollower<Source: Sendable>: nonisolated ObservableObject {
        package nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        /// The source, with what the property stores about it from one build of the view to the next.
        package var source: Source
        package var animation: Animation?
        /// Ends when it is released.
        private var subscription: AnyObject?
        /// Schedules the announcement of a change that cannot be announced at once.
        private let scheduler = MainScheduler()

        package nonisolated init(_ source: Source) {
            self.source = source
        }

        /// Subscribes to a source. The previous subscription ends afterwards, so that a fetch that both share continues.
        ///
        /// - Parameter subscribe: Returns a subscription that ends when it is released. The subscription calls `changed`, on
        ///   any thread, for each change.
        package func follow(_ subscribe: (_ changed: @escaping @Sendable () -> Void) -> AnyObject) {
            Attaching.by(self) {
                subscription = subscribe { [weak self] in self?.changed() }
            }
        }

        /// Announces a change at once if that is possible. The view is built for the newest one.
        private nonisolated func changed() {
            if MainActor.isCurrent, MainActor.assumeIsolated({ announceNow() }) { return }
            scheduler.schedule { [weak self] in self?.announce() }
        }

        /// - Returns: `false` if the announcement has to wait, because another object attaches.
        private func announceNow() -> Bool {
            guard Attaching.permitsAnnouncement(by: self) else { return false }
            if Attaching.object == nil { announce() }  // otherwise the view is being built, and shows the change
            return true
        }

        private func announce() {
            // Without an animation, one that the caller has begun stays in effect.
            guard let animation else { return objectWillChange.send() }
            withAnimation(animation) { objectWillChange.send() }
        }
    }

    /// The animation that a property's changes have: none if the user prefers less motion.
    @MainActor
    struct ChangeAnimation: nonisolated DynamicProperty {
        @Environment(\.accessibilityReduceMotion) private var reducesMotion
        private let animation: Animation?

        init(_ animation: Animation?) {
            self.animation = animation
        }

        var permitted: Animation? { reducesMotion ? nil : animation }
    }
#endif

#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    internal import PigeonCore
    internal import SwiftUI

    /// What a view shows of a query: the whole, or a selection.
    protocol SnapshotSource<Shown>: AnyObject, Sendable {
        associatedtype Shown: Sendable
        var snapshot: Snapshot<Shown> { get }
        func onChange(_ listener: @escaping @Sendable (Snapshot<Shown>) -> Void) -> QuerySubscription
    }

    extension QueryObserver: SnapshotSource {}
    extension QuerySelection: SnapshotSource {}

    /// Observes a query for the lifetime of a view, which is told of the changes of `Source`.
    @MainActor
    final class QueryFollower<Value: Sendable, Source: SnapshotSource>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var client: QueryClient?
        private var definition: QueryDefinition<Value>?
        /// Number of views on screen that use the query. `nil` before the first one has appeared, and for a view that does
        /// not report it. A view that changes its content may appear before it disappears.
        private var appearances: Int?
        private var observer: QueryObserver<Value>?
        private var source: Source?
        private var subscription: QuerySubscription?
        /// Animates the changes of the view.
        private var animation: Animation?
        /// Schedules the notification of a change that cannot be sent at once.
        private let turn = MainTurn()

        nonisolated init() {}

        /// Returns the newest snapshot of a definition, which may differ from the last one.
        ///
        /// - Parameters:
        ///   - place: The line of the property.
        ///   - animation: Animates later changes of the view.
        ///   - makeSource: Makes what the view shows of an observer. Called for the first observer of a client.
        func snapshot(
            of definition: QueryDefinition<Value>, by client: QueryClient, at place: CodePlace,
            animation: Animation?, _ makeSource: (QueryObserver<Value>) -> Source
        ) -> Snapshot<Source.Shown> {
            self.animation = animation
            self.definition = definition
            return Attaching.by(self) { newest(of: definition, by: client, at: place, makeSource) }
        }

        private func newest(
            of definition: QueryDefinition<Value>, by client: QueryClient, at place: CodePlace,
            _ makeSource: (QueryObserver<Value>) -> Source
        ) -> Snapshot<Source.Shown> {
            if let observer, let source, self.client === client {
                observer.observe(observed(definition))
                return source.snapshot
            }
            let observer = client.observe(observed(definition), place)
            let source = makeSource(observer)
            subscription = source.onChange { [weak self] _ in self?.changed() }
            (self.client, self.observer, self.source) = (client, observer, source)
            return source.snapshot
        }

        /// Handles a change. Called on any thread, for one change at a time. The view is built for the newest one.
        private nonisolated func changed() {
            if MainActor.isCurrent, MainActor.assumeIsolated({ tellNow() }) { return }
            turn.ask { [weak self] in self?.send() }
        }

        /// - Returns: `false` if the notification has to wait, because another object attaches.
        private func tellNow() -> Bool {
            switch Attaching.object {
            case ObjectIdentifier(self): return true  // the view is being built, and shows the change
            case nil: send()
            case _?: return false
            }
            return true
        }

        private func send() {
            objectWillChange.send(with: animation)
        }

        // MARK: Polling

        /// Called when a view appears on screen that uses the query.
        func appeared() {
            setAppearances((appearances ?? 0) + 1)
        }

        /// Called when a view that uses the query is no longer on screen.
        func disappeared() {
            setAppearances(max(0, (appearances ?? 0) - 1))
        }

        private func setAppearances(_ count: Int) {
            let wasPolling = isPolling
            appearances = count
            if isPolling != wasPolling, let definition { observer?.observe(observed(definition)) }
        }

        private var isPolling: Bool { appearances != 0 }

        /// The definition as it is observed. An observer without an interval starts no poll, and otherwise sees everything.
        private func observed(_ definition: QueryDefinition<Value>) -> QueryDefinition<Value> {
            isPolling ? definition : definition.poll(every: Duration.zero)
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

    extension ObservableObjectPublisher {
        /// Announces a change within an animation.
        @MainActor
        func send(with animation: Animation?) {
            // Without an animation, one that the caller has begun stays in effect.
            guard let animation else { return send() }
            withAnimation(animation) { send() }
        }
    }

    /// The follower of a property that a view may pass on to other views, each of which then has one of its own.
    ///
    /// SwiftUI shares an object that was installed before the property was passed on. The first view would then be built
    /// for changes that only the others show, and the follower would alternate between the clients of their environments.
    @MainActor
    struct OwnFollower<Value: Sendable, Source: SnapshotSource>: nonisolated DynamicProperty {
        @StateObject private var installed = QueryFollower<Value, Source>()
        /// The follower of the view that passed the property on, until another view installs it.
        nonisolated private var previous: QueryFollower<Value, Source>?

        var follower: QueryFollower<Value, Source> { previous ?? installed }

        /// The property as it is passed on.
        var passedOn: Self {
            var passedOn = Self()
            passedOn.previous = follower
            return passedOn
        }

        nonisolated mutating func update() {
            previous = nil
        }
    }
#endif

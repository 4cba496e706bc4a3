#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    internal import SwiftUI

    /// The part of a query that a view shows: the whole value, or a selection.
    protocol SnapshotSource<Shown>: AnyObject, Sendable {
        associatedtype Shown: Sendable
        var snapshot: Snapshot<Shown> { get }
        func onChange(_ listener: @escaping @Sendable (Snapshot<Shown>) -> Void) -> QuerySubscription
    }

    extension QueryObserver: SnapshotSource {}
    extension QuerySelection: SnapshotSource {}

    /// The query of a view, and how the view observes it.
    struct ViewedQuery<Value: Sendable, Part: SnapshotSource>: Sendable {
        /// The observer of one client, and what the view shows of it. `nil` before the first snapshot.
        var attached: (client: QueryClient, observer: QueryObserver<Value>, part: Part)?
        var definition: QueryDefinition<Value>?
        /// Number of views on screen that use the query. `nil` before the first one has appeared, and for a view that does
        /// not report it. A view that changes its content may appear before it disappears.
        var appearances: Int?

        var isPolling: Bool { appearances != 0 }

        /// The definition as it is observed. An observer without an interval starts no poll, and otherwise sees everything.
        func observed(_ definition: QueryDefinition<Value>) -> QueryDefinition<Value> {
            isPolling ? definition : definition.poll(every: Duration.zero)
        }
    }

    /// Observes a query for the lifetime of a view. A property may be passed on to other views, each of which then has a
    /// follower of its own.
    ///
    /// SwiftUI shares an object that was installed before the property was passed on. The first view would then be built
    /// for changes that only the others show, and the follower would alternate between the clients of their environments.
    @MainActor
    struct FollowedQuery<Value: Sendable, Part: SnapshotSource>: nonisolated DynamicProperty {
        @StateObject private var installed = ViewFollower(ViewedQuery<Value, Part>())
        /// The follower of the view that passed the property on, until another view installs it.
        nonisolated private var previous: ViewFollower<ViewedQuery<Value, Part>>?

        private var follower: ViewFollower<ViewedQuery<Value, Part>> { previous ?? installed }

        /// The property as it is passed on.
        var passedOn: Self {
            var passedOn = Self()
            passedOn.previous = follower
            return passedOn
        }

        nonisolated mutating func update() {
            previous = nil
        }

        /// Returns the newest snapshot of a definition, which may differ from the last one.
        ///
        /// - Parameter makePart: Called for the first observer of a client.
        func snapshot(
            of definition: QueryDefinition<Value>, by client: QueryClient, at location: CodeLocation,
            animation: Animation?, _ makePart: (QueryObserver<Value>) -> Part
        ) -> Snapshot<Part.Shown> {
            let follower = follower
            follower.animation = animation
            follower.source.definition = definition
            return Attaching.by(follower) {
                let observed = follower.source.observed(definition)
                if let attached = follower.source.attached, attached.client === client {
                    attached.observer.observe(observed)
                    return attached.part.snapshot
                }
                let observer = client.observe(observed, location)
                let part = makePart(observer)
                follower.follow { changed in part.onChange { _ in changed() } }
                follower.source.attached = (client: client, observer: observer, part: part)
                return part.snapshot
            }
        }

        // MARK: Polling

        /// Called when a view appears on screen that uses the query.
        func appeared() {
            setAppearances((follower.source.appearances ?? 0) + 1)
        }

        /// Called when a view that uses the query is no longer on screen.
        func disappeared() {
            setAppearances(max(0, (follower.source.appearances ?? 0) - 1))
        }

        private func setAppearances(_ count: Int) {
            let follower = follower
            let wasPolling = follower.source.isPolling
            follower.source.appearances = count
            let query = follower.source
            guard query.isPolling != wasPolling, let definition = query.definition else { return }
            query.attached?.observer.observe(query.observed(definition))
        }
    }
#endif

internal import Foundation
internal import PigeonBase

/// The content of one resource at a time, for a view such as an image in a reusable cell.
///
/// ```swift
/// let picture = RemoteContent<Data>()
/// picture.onChange = { shown in cell.draw(shown) }
/// picture.resource = images.resource(absoluteURL: user.avatarURL)
/// ```
///
/// Content in memory is shown before the assignment of ``resource`` returns. The previous resource is no longer
/// observed, and its load is cancelled after 50 ms if it then has no observers. All objects that show the same resource
/// share its load.
@MainActor
public final class RemoteContent<T: Sendable> {
    /// The state to show.
    public enum Shown: Sendable {
        /// Show the content, even while it is being loaded again.
        case content(T)
        /// Show that the resource is being loaded, because there is no content yet.
        case loading
        /// Show a placeholder, because there is no resource or it could not be loaded.
        case alternate
    }

    /// The current state to show.
    public private(set) var shown = Shown.alternate

    /// Called on the main actor whenever ``shown`` may have changed, including during the assignment of ``resource``.
    public var onChange: (Shown) -> Void = { _ in }

    /// Nonisolated, so that `deinit` can stop the observation on any thread.
    private nonisolated let following = Locked<Following?>(nil)

    /// True while ``resource`` is being set. Notifications are ignored during that time, because they would read the
    /// old resource.
    private var isChanging = false

    private struct Following: Sendable {
        let resource: Resource
        let observation: Observation

        func stop() {
            resource.letGo(of: observation)
        }
    }

    /// Creates an object without a resource.
    public init() {}

    deinit {
        following.withLock { $0 }?.stop()
    }

    /// The resource to show. Setting it loads the resource, unless it is up to date. Setting the same resource again
    /// does nothing.
    public var resource: Resource? {
        get { following.withLock { $0 }?.resource }
        set {
            let old = following.withLock { $0 }
            guard newValue !== old?.resource else { return }
            isChanging = true
            let new = newValue.map { resource in
                Following(
                    resource: resource,
                    observation: resource.follow { [weak self] _ in MainActor.runSoon { self?.update() } })
            }
            following.withLock { $0 = new }
            isChanging = false
            newValue?.loadIfNeeded()
            update()
            // The old observation is stopped last, because the new resource may share the old one's load.
            old?.stop()
        }
    }

    private func update() {
        guard !isChanging else { return }
        shown = now
        onChange(shown)
    }

    private var now: Shown {
        guard let resource else { return .alternate }
        if let content: T = resource.typedContent() { return .content(content) }
        return resource.isLoading ? .loading : .alternate
    }
}

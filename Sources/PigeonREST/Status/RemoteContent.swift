internal import Foundation
internal import PigeonBase

/// What a view shows of one resource at a time, such as a picture in a cell that is used again and again.
///
/// ```swift
/// let picture = RemoteContent<Data>()
/// picture.onChange = { shown in cell.draw(shown) }
/// picture.resource = images.resource(absoluteURL: user.avatarURL)
/// ```
///
/// Content that is in memory is shown within the assignment. A resource that is replaced is let go: its load is cancelled
/// after 50 ms if nobody else observes it by then. Many that show one resource share its load.
@MainActor
public final class RemoteContent<T: Sendable> {
    /// What is to be shown.
    public enum Shown: Sendable {
        /// The content, also while it is loaded again.
        case content(T)
        /// That something is loaded, and there is nothing to show yet.
        case loading
        /// What stands for content that is not there: there is no resource, or it could not be loaded.
        case alternate
    }

    /// What is to be shown now.
    public private(set) var shown = Shown.alternate

    /// Called on the main actor whenever ``shown`` may have changed; within the assignment of ``resource`` too.
    public var onChange: (Shown) -> Void = { _ in }

    /// Apart, so that the end of this can let go of it wherever that happens.
    private nonisolated let following = Locked<Following?>(nil)

    /// Whether ``resource`` is being set: what is told meanwhile would find the one before.
    private var isChanging = false

    private struct Following: Sendable {
        let resource: Resource
        let observation: Observation

        func stop() {
            resource.letGo(of: observation)
        }
    }

    /// Creates one that shows nothing yet.
    public init() {}

    deinit {
        following.withLock { $0 }?.stop()
    }

    /// What is shown. Setting it loads it, unless it is up to date; setting what it is changes nothing.
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
            // After, since the new one may share what the old one loads.
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

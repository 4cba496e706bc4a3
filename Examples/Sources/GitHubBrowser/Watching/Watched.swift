package import PigeonREST

/// What a screen shows of one resource: a copy that changes on the main actor only, with the resource's events.
@MainActor
package final class Watched<Content: Sendable> {
    package let resource: TypedResource<Content>
    package private(set) var content: Content?
    package private(set) var error: ResourceRequestError?
    package private(set) var isLoading = false
    /// When the content was last known to be right, in seconds since 2001.
    package private(set) var timestamp = 0.0

    private let onChange: @MainActor () -> Void
    /// Nobody has it yet who could be told.
    private var isBeginning = true

    /// Shows what is known, and loads what is not or is old.
    package init(
        _ resource: TypedResource<Content>, loads: Bool = true, onChange: @escaping @MainActor () -> Void
    ) {
        self.resource = resource
        self.onChange = onChange
        refresh()
        resource.resource.addObserver(owner: self) { [weak self] _, event in
            guard let self, event != .observerAdded else { return }
            refresh()
            if !isBeginning { onChange() }
        }
        // What a cache on disk has may come first, before anything is asked of the server.
        if loads, resource.loadIfNeeded() != nil { isLoading = true }
        isBeginning = false
    }

    package var part: ResourceStatus.Part {
        ResourceStatus.Part(isLoading: isLoading, hasContent: content != nil, latestError: error)
    }

    /// Takes over what is known now.
    package func refresh() {
        let state = resource.state
        (content, error, isLoading) = (state.content, state.latestError, state.isLoading)
        timestamp = resource.resource.timestamp
    }

    package func load() {
        resource.load()
        isLoading = true
    }

    /// Ends the watching. What is being loaded goes on for a moment, in which somebody else may want it.
    package func stop() {
        resource.resource.removeObservers(ownedBy: self)
        resource.resource.cancelLoadIfUnobserved(afterDelay: Self.patience)
    }
}

extension Watched {
    /// In seconds.
    package static var patience: Double { 0.1 }
}

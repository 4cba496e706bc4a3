package import Foundation
package import PigeonREST

/// What a screen shows of a list that comes page by page.
@MainActor
package final class WatchedList<Item: Codable & Sendable> {
    package typealias Shown = Snapshot<Pages<ResourcePage<Item>, URL>>

    package let pages: PagedResource<Item>
    package private(set) var snapshot: Shown
    /// What a cache on disk has of the first page is seen here, before the list is there.
    private let first: Watched<[Item]>
    private let onChange: @MainActor () -> Void
    private var observer: QueryObserver<Pages<ResourcePage<Item>, URL>>?
    private var isStarting: Bool
    private var loads: [Task<Void, Never>] = []
    private var pageLoads: [Task<Void, Never>] = []

    package init(_ resource: TypedResource<[Item]>, onChange: @escaping @MainActor () -> Void) {
        self.onChange = onChange
        let pages = resource.pages(maxPages: nil)
        self.pages = pages
        snapshot = pages.snapshot
        isStarting = snapshot.value == nil || snapshot.isStale
        first = Watched(resource, loads: false, onChange: onChange)
        observer = pages.resource.service.client.observe(pages.definition) { [weak self] _ in
            Task { @MainActor in self?.changed() }
        }
    }

    package var items: [Item] { snapshot.value?.flatMap(\.items) ?? first.content ?? [] }

    package var hasContent: Bool { snapshot.value != nil || first.content != nil }

    package var isLoading: Bool { isStarting || snapshot.isFetching || !loads.isEmpty }

    package var error: ResourceRequestError? { (snapshot.error as? ResourceRequestError) ?? first.error }

    package var part: ResourceStatus.Part {
        ResourceStatus.Part(isLoading: isLoading, hasContent: hasContent, latestError: error)
    }

    /// When the items were last known to be right, in seconds since 2001.
    package var timestamp: Double { snapshot.updatedAt?.timeIntervalSinceReferenceDate ?? first.timestamp }

    package var hasNextPage: Bool { snapshot.value?.hasNext ?? false }

    package var isLoadingPage: Bool { snapshot.nextPage.isFetching || !pageLoads.isEmpty }

    package var pageError: ResourceRequestError? { snapshot.nextPage.error as? ResourceRequestError }

    /// Takes over what is known now.
    package func refresh() {
        isStarting = false
        snapshot = pages.snapshot
        first.refresh()
    }

    private func changed() {
        guard observer != nil else { return }
        refresh()
        onChange()
    }

    /// Loads again the pages that are there.
    package func reload() {
        let load = Task {
            _ = try? await pages.reload()
            loads.removeFirst()
            changed()
        }
        loads.append(load)
    }

    package func loadNextPage() {
        guard hasNextPage, !isLoadingPage else { return }
        let load = Task {
            _ = try? await pages.loadNextPage()
            pageLoads.removeFirst()
            changed()
        }
        pageLoads.append(load)
    }

    /// Ends the watching. What is being loaded goes on for a moment, in which somebody else may want it.
    package func stop() {
        let client = pages.resource.service.client
        let clock = client.environment.clock
        let observer = observer
        self.observer = nil
        first.stop()
        for load in loads + pageLoads { load.cancel() }
        _ = clock.schedule(at: clock.now().advanced(by: .seconds(Watched<Item>.patience))) { [pages] in
            observer?.cancel()
            pages.cancelLoadIfUnobserved()
        }
    }
}

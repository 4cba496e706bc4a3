package import Foundation
package import PigeonREST

/// What a screen shows of a list that comes page by page.
@MainActor
package final class WatchedList<Item: Codable & Sendable> {
    package typealias Shown = Snapshot<Pages<ResourcePage<Item>, URL>>

    private let list: QueryDefinition<Pages<ResourcePage<Item>, URL>>
    /// The first page. It retains the service, which the list does not.
    private let resource: Resource
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
        self.resource = resource.resource
        let (client, list) = (resource.resource.service.client, resource.pages())
        self.list = list
        snapshot = client.snapshot(of: list)
        isStarting = snapshot.value == nil || snapshot.isStale
        first = Watched(resource, loads: false, onChange: onChange)
        observer = client.observe(list) { [weak self] _ in
            Task { @MainActor in self?.changed() }
        }
    }

    private var client: QueryClient { resource.service.client }

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
        snapshot = client.snapshot(of: list)
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
            _ = try? await client.refetch(list)
            loads.removeFirst()
            changed()
        }
        loads.append(load)
    }

    package func loadNextPage() {
        guard hasNextPage, !isLoadingPage else { return }
        let load = Task {
            _ = try? await client.fetchNextPage(of: list)
            pageLoads.removeFirst()
            changed()
        }
        pageLoads.append(load)
    }

    /// Ends the watching. What is being loaded goes on for a moment, in which somebody else may want it.
    package func stop() {
        let clock = client.environment.clock
        let observer = observer
        self.observer = nil
        first.stop()
        for load in loads + pageLoads { load.cancel() }
        _ = clock.schedule(at: clock.now().advanced(by: .seconds(Watched<Item>.patience))) { [resource, list] in
            observer?.cancel()
            resource.service.cancelLoads(of: list, from: resource.url)
        }
    }
}

extension Service {
    /// Cancels the loads of a list and of its pages, unless somebody watches the list. A page that is also watched as a
    /// resource goes on being loaded.
    fileprivate func cancelLoads<Item: Sendable>(
        of list: QueryDefinition<Pages<ResourcePage<Item>, URL>>, from first: URL
    ) {
        let observerCount = client.entries(matching: .query(list)).first?.observerCount ?? 0
        guard observerCount == 0 else { return }
        let pages = client.value(of: list)
        // This ends the requests of a reload. Others are those of the pages' resources, and go on until these are told.
        client.cancel(list)
        let addresses = [first] + (pages?.ids ?? []) + [pages?.nextID, pages?.previousID].compactMap { $0 }
        for address in Set(addresses) { resource(absoluteURL: address).cancelLoadIfUnobserved() }
    }
}

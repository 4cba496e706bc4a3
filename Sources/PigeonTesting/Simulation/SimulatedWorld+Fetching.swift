import PigeonCore

/// Fetches values and pages, and checks what the callers receive.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    func fetch(_ subject: SimulatedSubject, _ how: SimulatedFetch, _ client: QueryClient) {
        let asked = server.version(of: subject.name)
        let needed = subject.model.needed
        let disturbances = subject.model.disturbances
        let isFirst = state(of: subject)?.base == nil
        start(.fetch, "\(how) of \(subject.name)") { [hooks] in
            let payload = try await subject.fetch(client, how)
            guard subject.model.disturbances == disturbances, subject.model.covering.isEmpty,
                let seen = subject.see(payload)
            else { return }
            if how == .refetch, !isFirst, seen.version < asked {
                hooks.found(
                    .refetch, "a refetch of \(subject.name), asked at state \(asked), returns state \(seen.version)")
            }
            guard let needed, seen.version < needed else { return }
            let wantsFresh = subject.options.staleAfter != .immutable && subject.options.fetchPolicy == .fresh
            if how == .fetch, wantsFresh, subject.source == nil {
                hooks.found(
                    .lateCaller, "\(subject.name), invalidated at state \(needed), was fetched at \(seen.version)")
            }
        }
    }

    func fetchPage(_ direction: PageDirection, of subject: SimulatedSubject, _ client: QueryClient) {
        guard let paging = subject.paging else { return }
        start(.page, "\(direction) page of \(subject.name)") { [weak self] in
            try await self?.fetchPage(direction, of: subject, paging, client)
        }
    }

    private func fetchPage(
        _ direction: PageDirection, of subject: SimulatedSubject, _ paging: SimulatedPaging, _ client: QueryClient
    ) async throws {
        let landed = subject.model.pagesLanded[direction, default: 0]
        let cancellations = subject.model.cancellations
        let isFirst = paging.count(client) == nil
        let hasMore = try await paging.fetch(client, direction)
        guard hasMore, !isFirst, subject.model.pagesLanded[direction, default: 0] == landed,
            subject.model.cancellations == cancellations
        else { return }
        found(
            .pageAnswer,
            "asking for the \(direction) page of \(subject.name) succeeds without a page, and the list goes on")
    }

    func fetchAllPages(of subject: SimulatedSubject, _ client: QueryClient) {
        guard let paging = subject.paging else { return }
        start(.page, "all pages of \(subject.name)") { [weak self] in
            var count = 0
            while paging.hasNext(client) {
                try await self?.fetchPage(.next, of: subject, paging, client)
                count += 1
                guard count < 100 else {
                    self?.found(.pageLoop, "loading all pages of \(subject.name) goes on after \(count) pages")
                    return
                }
            }
        }
    }
}

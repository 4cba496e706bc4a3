import GitHubAPI

/// The stars of repositories as their own resources have them, which may be newer than what a list says.
@MainActor
final class StarCounts {
    private var counts: [String: (stars: Int, timestamp: Double)] = [:]
    /// Repositories that were starred here: the count follows when nobody looks at them any more.
    private var followed: [Watched<Repository>] = []
    /// When repositories were starred here last. No list from before knows better.
    private var starred: [String: Double] = [:]

    var isBusy: Bool { followed.contains(where: \.isLoading) }

    func follow(_ repository: Watched<Repository>, starredAt timestamp: Double) {
        if let url = repository.content?.url { starred[url] = timestamp }
        guard !followed.contains(where: { $0.resource == repository.resource }) else { return repository.stop() }
        followed.append(repository)
    }

    func note(_ repository: Watched<Repository>?) {
        for watched in followed + [repository].compactMap({ $0 }) {
            guard let content = watched.content else { continue }
            counts[content.url] = (content.starCount, max(watched.timestamp, starred[content.url] ?? 0))
        }
    }

    func count(of repository: Repository, listedAt timestamp: Double) -> Int {
        guard let known = counts[repository.url], known.timestamp >= timestamp else { return repository.starCount }
        return known.stars
    }

    func refresh() {
        for watched in followed { watched.refresh() }
    }

    func forget() {
        for watched in followed { watched.stop() }
        (counts, followed, starred) = ([:], [], [:])
    }
}

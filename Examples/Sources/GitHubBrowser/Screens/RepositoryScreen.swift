import GitHubAPI
import PigeonREST

/// One repository, told by four resources: itself, and three that it leads to.
@MainActor
final class RepositoryScreen {
    let repository: Watched<Repository>
    private let api: GitHubAPI
    private let name: String
    private let onChange: @MainActor () -> Void
    private var starred: Watched<Bool>?
    private var contributors: Watched<[User]>?
    private var languages: Watched<[String: Int]>?

    init(_ repository: Repository, api: GitHubAPI, onChange: @escaping @MainActor () -> Void) {
        self.api = api
        self.onChange = onChange
        name = repository.fullName
        self.repository = Watched(api.repository(repository), onChange: onChange)
        update()
    }

    /// `nil` while it is not known, and for nobody.
    var isStarred: Bool? { starred?.content ?? change.flatMap { $0.mutation as? RecordedRequest }.map(\.givesStar) }

    /// The state of a star that GitHub does not have yet. `nil` if there is none.
    var starring: BrowserState.Starring? {
        guard let change else { return nil }
        return api.isOnline || change.stage == .running ? .sending : .waiting
    }

    /// The star that is not on GitHub yet.
    private var change: OutboxItem? { starred.flatMap { api.changes(of: $0.resource).last } }

    /// Brings what depends on the repository in line with it.
    func update() {
        guard let shown = repository.content else { return }
        starred = follow(api.isAuthenticated ? api.currentUserStarred(shown) : nil, after: starred)
        contributors = follow(api.contributors(of: shown), after: contributors)
        languages = follow(api.languages(of: shown), after: languages)
    }

    private func follow<Content>(
        _ resource: TypedResource<Content>?, after before: Watched<Content>?
    ) -> Watched<Content>? {
        guard resource != before?.resource else { return before }
        defer { before?.stop() }
        return resource.map { Watched($0, onChange: onChange) }
    }

    func stop() {
        repository.stop()
        starred?.stop()
        contributors?.stop()
        languages?.stop()
    }

    func refresh() {
        repository.refresh()
        starred?.refresh()
        contributors?.refresh()
        languages?.refresh()
    }

    func refreshStar() {
        repository.refresh()
        starred?.refresh()
    }

    var isBusy: Bool { starring == .sending || parts.contains(where: \.isLoading) }

    private var parts: [ResourceStatus.Part] {
        [repository.part, starred?.part, contributors?.part, languages?.part].compactMap { $0 }
    }

    // MARK: What one does

    func reload() {
        repository.load()
        starred?.load()
        contributors?.load()
        languages?.load()
    }

    func retry() {
        if repository.error != nil { repository.load() }
        if starred?.error != nil { starred?.load() }
        if contributors?.error != nil { contributors?.load() }
        if languages?.error != nil { languages?.load() }
    }

    /// Stars it, or takes the star away: at once, before GitHub has agreed. Nothing happens while a star is being sent.
    ///
    /// - Parameter refused: Told what GitHub says when it does not agree.
    /// - Throws: An error if the change could not be recorded.
    func setStarred(_ isStarred: Bool, refused: @escaping @MainActor (String) -> Void) async throws {
        guard starring != .sending, let shown = repository.content else { return }
        guard let change = try await api.setStarred(isStarred, shown) else { return }
        Task { [api, onChange] in
            do {
                _ = try await change.output()
            } catch let error as ResourceRequestError where !error.isCancellation {
                refused(error.userMessage)
                // Nothing is done here about what GitHub has refused.
                if let id = change.id { try? await api.client.outbox.discard(id) }
            } catch {}
            onChange()
        }
    }

    // MARK: What is seen

    var described: BrowserState.Detail {
        var detail = BrowserState.Detail(name: name)
        detail.status = BrowserState.Status(of: parts, priority: .standard)
        guard let shown = repository.content else { return detail }
        (detail.name, detail.isPrivate, detail.stars) = (shown.fullName, shown.isPrivate, shown.starCount)
        (detail.description, detail.homepage) = (shown.description, shown.homepage)
        (detail.isStarred, detail.starring) = (isStarred, starring)
        detail.contributors = contributors?.content?.map(\.login)
        detail.languages = languages?.content.map(Self.shares)
        return detail
    }

    private static func shares(of bytes: [String: Int]) -> [BrowserState.Language] {
        let all = max(bytes.values.reduce(0, +), 1)
        return bytes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { BrowserState.Language(name: $0.key, percent: $0.value * 100 / all) }
    }
}

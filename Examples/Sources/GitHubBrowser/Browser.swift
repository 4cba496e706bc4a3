package import GitHubAPI
import Foundation
import PigeonREST

/// The GitHub browser without anything that shows it: what a user does goes in, a ``BrowserState`` comes out.
///
/// ```swift
/// let browser = Browser(api: api)
/// browser.onChange = { draw(browser.state) }
/// browser.setText("ann")
/// ```
@MainActor
package final class Browser {
    package let api: GitHubAPI
    /// Called after each change that comes of itself. What is done to the browser tells nobody.
    package var onChange: (@MainActor () -> Void)?

    package let search: SearchScreen
    private(set) var detail: RepositoryScreen?
    private(set) var account: WatchedQuery<User>?
    private(set) var notice: String?
    private(set) var stars = StarCounts()
    private let changes: Changes
    private var isActing = false
    private var outboxWatch: Task<Void, Never>?

    /// - Parameter debounce: How long nothing must be typed before a name is looked for.
    package init(api: GitHubAPI, debounce: Duration = .milliseconds(300)) {
        self.api = api
        let changes = Changes()
        self.changes = changes
        search = SearchScreen(api: api, debounce: Debounce(debounce, clock: api.client.environment.clock)) {
            changes.tell()
        }
        changes.onChange = { [weak self] in self?.changed() }
        outboxWatch = Task { [updates = api.client.outbox.updates] in
            for await _ in updates { changes.tell() }
        }
        beginSession()
        update()
    }

    deinit {
        outboxWatch?.cancel()
    }

    private func beginSession() {
        account?.stop()
        let changes = changes
        account =
            api.isAuthenticated ? WatchedQuery(.currentUser(of: api), from: api.client) { changes.tell() } : nil
    }

    // MARK: Searching

    package func setText(_ text: String) {
        act { search.setText(text) }
    }

    package func select(_ index: Int) {
        act { search.select(index) }
    }

    package func loadNextPage() {
        act { search.loadNextPage() }
    }

    // MARK: Repositories

    /// Opens the repository of a row, counted from 0. Returns whether there is one.
    @discardableResult
    package func open(_ index: Int) -> Bool {
        guard search.repositories.indices.contains(index) else { return false }
        act {
            let before = detail
            let changes = changes
            search.select(index)
            detail = RepositoryScreen(search.repositories[index], api: api) { changes.tell() }
            before?.stop()
        }
        return true
    }

    /// Goes back to the list. Returns whether a repository was open.
    @discardableResult
    package func close() -> Bool {
        guard let open = detail else { return false }
        act {
            detail = nil
            open.stop()
        }
        return true
    }

    /// Stars the open repository, or takes the star away. Returns once that is recorded, and shows.
    package func setStarred(_ isStarred: Bool) async {
        act {
            if !api.isAuthenticated { notice = "log in to star repositories" }
        }
        guard api.isAuthenticated, let detail, let repository = detail.repository.content else { return }
        let changes = changes
        stars.follow(
            Watched(api.repository(repository), loads: false) { changes.tell() },
            starredAt: api.client.environment.wallClock().timeIntervalSinceReferenceDate)
        do {
            try await detail.setStarred(isStarred) { [weak self] in self?.notice = $0 }
        } catch {
            notice = "the star could not be recorded: \(error)"
        }
        // Observers are told later, but a star must show at once.
        detail.refreshStar()
        stars.refresh()
        update()
    }

    /// Stars the open repository, or takes the star away, whichever it lacks.
    package func toggleStar() async {
        await setStarred(!(detail?.isStarred ?? false))
    }

    // MARK: Surroundings

    package func logIn(token: String) {
        act {
            account?.stop()
            api.logIn(token: token)
            changeUser()
        }
    }

    package func logOut() {
        act {
            // What is open may be for that user's eyes only.
            close()
            account?.stop()
            api.logOut()
            changeUser()
        }
    }

    private func changeUser() {
        stars.forget()
        beginSession()
        search.restart()
        detail?.refresh()
        detail?.reload()
    }

    package var isOnline: Bool {
        get { api.isOnline }
        set { act { api.isOnline = newValue } }
    }

    /// Loads again what failed of the screen on top.
    package func retry() {
        act {
            if account?.error != nil { account?.load() }
            if let detail { detail.retry() } else { search.retry() }
        }
    }

    /// Loads all of the screen on top again, however fresh it is.
    package func reload() {
        act {
            if let detail { detail.reload() } else { search.reload() }
        }
    }

    private func act(_ action: () -> Void) {
        let before = isActing
        (notice, isActing) = (nil, true)
        action()
        isActing = before
        update()
    }

    // MARK: Changes

    private func changed() {
        // What depends on what comes after: half of what was known may be forgotten.
        guard !isActing else { return }
        update()
        onChange?()
    }

    private func update() {
        search.update()
        detail?.update()
        stars.note(detail?.repository)
    }

    /// Returns when nothing is being loaded, and nothing waits to be.
    package func settle() async {
        while true {
            // A star that has been sent is loaded again, which begins before the star ends. So this is read first.
            let isSending = detail?.starring == .sending
            account?.refresh()
            search.refresh()
            detail?.refresh()
            stars.refresh()
            update()
            if isBusy { await changes.next() } else if !isSending { return }
        }
    }

    package var isBusy: Bool {
        account?.isLoading ?? false || search.isBusy || detail?.isBusy ?? false || stars.isBusy
    }

    // MARK: What is seen

    package var state: BrowserState {
        var state = BrowserState()
        if let account { state.account = .signedIn(account.content?.login) }
        (state.isOnline, state.notice) = (api.isOnline, notice ?? account?.error?.userMessage)
        search.describe(in: &state) { stars.count(of: $0, listedAt: $1) }
        state.detail = detail?.described
        return state
    }
}

import Foundation
import GitHubAPI
import PigeonREST

/// A field for the name of a user, and that user with what they have; where it is empty, what others work on.
@MainActor
package final class SearchScreen {
    /// What is in the field.
    package private(set) var text = ""
    package private(set) var selection = 0

    let api: GitHubAPI
    private let debounce: Debounce
    private let onChange: @MainActor () -> Void
    /// What is looked for: the text, once nothing was typed for a while.
    private var query = ""
    private(set) var user: Watched<User>?
    private(set) var list: WatchedList<Repository>?
    private var listed: TypedResource<[Repository]>?
    private var card: RemoteImage
    private var cells: [RemoteImage] = []

    init(api: GitHubAPI, debounce: Debounce, onChange: @escaping @MainActor () -> Void) {
        self.api = api
        self.debounce = debounce
        self.onChange = onChange
        card = RemoteImage(api: api, onChange: onChange)
        begin()
    }

    /// Whether what is shown is not what the text asks for yet.
    private var isTyping: Bool { Self.query(of: text) != query }

    var repositories: [Repository] { isTyping ? [] : list?.items ?? [] }

    private static func query(of text: String) -> String {
        text.trimmingCharacters(in: .whitespaces).lowercased()
    }

    // MARK: What one does

    func setText(_ new: String) {
        text = new
        let wanted = Self.query(of: new)
        guard wanted != query, !wanted.isEmpty else {
            debounce.cancel()
            return settle()
        }
        debounce.restart { [weak self] in
            self?.settle()
            self?.onChange()
        }
    }

    func select(_ index: Int) {
        selection = min(max(index, 0), max(repositories.count - 1, 0))
        if selection == repositories.count - 1 { list?.loadNextPage() }
    }

    func loadNextPage() {
        list?.loadNextPage()
    }

    func reload() {
        user?.load()
        list?.reload()
    }

    func retry() {
        if user?.error != nil { user?.load() }
        guard let list else { return }
        if list.error != nil { list.reload() }
        if list.pageError != nil { list.loadNextPage() }
    }

    /// Begins anew: somebody else looks.
    func restart() {
        end()
        begin()
    }

    // MARK: What follows

    private func settle() {
        let wanted = Self.query(of: text)
        guard wanted != query else { return }
        query = wanted
        selection = 0
        let (user, list) = (user, list)
        begin()
        // After the next has begun, which may be the same.
        user?.stop()
        list?.stop()
    }

    private func begin() {
        (user, list, listed) = (nil, nil, nil)
        if query.isEmpty {
            show(api.activeRepositories)
        } else {
            user = Watched(api.user(query), onChange: onChange)
        }
        update()
    }

    private func end() {
        user?.stop()
        list?.stop()
        for cell in cells + [card] { cell.show(nil) }
        (cells, selection) = ([], 0)
    }

    /// Brings what depends on others in line with them.
    func update() {
        if let user { show(user.content.flatMap(api.repositories)) }
        card.show(isTyping ? nil : user?.content?.avatarURL)
        let items = repositories
        while cells.count < items.count { cells.append(RemoteImage(api: api, onChange: onChange)) }
        for (cell, item) in zip(cells, items) { cell.show(item.owner.avatarURL) }
        for cell in cells.dropFirst(items.count) { cell.show(nil) }
        cells.removeLast(max(cells.count - items.count, 0))
        selection = min(selection, max(items.count - 1, 0))
    }

    private func show(_ resource: TypedResource<[Repository]>?) {
        guard resource != listed else { return }
        let before = list
        listed = resource
        list = resource.map { WatchedList($0, onChange: onChange) }
        before?.stop()
    }

    func refresh() {
        user?.refresh()
        list?.refresh()
        for cell in cells + [card] { cell.refresh() }
    }

    var isBusy: Bool {
        debounce.isPending || user?.isLoading ?? false || list?.isLoading ?? false || list?.isLoadingPage ?? false
            || (cells + [card]).contains(where: \.isLoading)
    }

    // MARK: What is seen

    /// - Parameter stars: The stars of a repository, where others than its list know them better.
    func describe(in state: inout BrowserState, stars: (Repository, Double) -> Int) {
        (state.text, state.isActiveList, state.selection) = (text, Self.query(of: text).isEmpty, selection)
        guard !isTyping else {
            state.status = .loading
            return
        }
        if let user = user?.content {
            state.card = BrowserState.Card(login: user.login, name: user.name, avatar: card.state)
        }
        let timestamp = list?.timestamp ?? 0
        state.rows = zip(repositories, cells).map { repository, cell in
            BrowserState.Row(
                owner: repository.owner.login, name: repository.name, stars: stars(repository, timestamp),
                isPrivate: repository.isPrivate, avatar: cell.state)
        }
        state.more = more
        let parts = [user?.part, list?.part].compactMap { $0 }
        state.status = BrowserState.Status(of: parts, priority: [.allData, .loading, .error])
    }

    private var more: BrowserState.More {
        guard let list, !list.items.isEmpty else { return .nothing }
        if list.isLoadingPage { return .loading }
        if let error = list.pageError { return .failed(error.userMessage) }
        return list.hasNextPage ? .available : .nothing
    }
}

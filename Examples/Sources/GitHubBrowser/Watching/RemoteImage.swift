import Foundation
import GitHubAPI
import PigeonREST

/// A picture that a cell shows. Cells that show the same one share its resource, and so its request.
@MainActor
final class RemoteImage {
    private let api: GitHubAPI
    private let onChange: @MainActor () -> Void
    private var watched: Watched<Data>?

    init(api: GitHubAPI, onChange: @escaping @MainActor () -> Void) {
        self.api = api
        self.onChange = onChange
    }

    var isLoading: Bool { watched?.isLoading ?? false }

    var state: BrowserState.Avatar {
        guard let watched else { return .none }
        if let data = watched.content { return .picture(hash: data.reduce(5381) { $0 &* 33 &+ Int($1) }) }
        return watched.isLoading ? .loading : .none
    }

    /// Shows the picture of an address. What was shown before is let go after, since it may be the same.
    func show(_ address: String?) {
        let resource = address.map(api.image)
        guard resource != watched?.resource else { return }
        let before = watched
        watched = resource.map { Watched($0, onChange: onChange) }
        before?.stop()
    }

    func refresh() {
        watched?.refresh()
    }
}

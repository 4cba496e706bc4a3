import PigeonREST

/// All that the browser shows at one moment, whatever it is shown with.
package struct BrowserState: Equatable, Sendable {
    package enum Account: Equatable, Sendable {
        case nobody
        /// The login, once it is known.
        case signedIn(String?)
    }

    package enum Avatar: Equatable, Sendable {
        case none, loading
        /// A number that tells pictures apart, which a terminal has no other way to show.
        case picture(hash: Int)
    }

    package struct Card: Equatable, Sendable {
        package var login: String
        package var name: String?
        package var avatar: Avatar
    }

    package struct Row: Equatable, Sendable {
        package var owner: String
        package var name: String
        package var stars: Int
        package var isPrivate: Bool
        package var avatar: Avatar
    }

    /// What there is behind the last row.
    package enum More: Equatable, Sendable {
        case nothing, available, loading
        case failed(String)
    }

    package enum Status: Equatable, Sendable {
        case nothing, loading
        case failure(String)
    }

    package struct Language: Equatable, Sendable {
        package var name: String
        package var percent: Int
    }

    /// The state of a star that was given or taken away, until GitHub has it.
    package enum Starring: Equatable, Sendable {
        case sending
        /// It is sent once there is a network.
        case waiting
    }

    package struct Detail: Equatable, Sendable {
        package var name: String
        package var isPrivate = false
        package var stars: Int?
        /// `nil` while it is not known, and for nobody.
        package var isStarred: Bool?
        package var starring: Starring?
        package var description: String?
        package var homepage: String?
        package var languages: [Language]?
        package var contributors: [String]?
        package var status = Status.nothing
    }

    package var account = Account.nobody
    package var isOnline = true
    package var text = ""
    /// `nil` where a user is looked for.
    package var isActiveList = true
    package var card: Card?
    package var rows: [Row] = []
    package var selection = 0
    package var more = More.nothing
    package var status = Status.nothing
    package var detail: Detail?
    /// What just went wrong, until the next thing is done.
    package var notice: String?

    package init() {}

    /// What the status line says: of the screen that is on top.
    package var shownStatus: Status {
        if let notice { return .failure(notice) }
        return detail?.status ?? status
    }
}

extension BrowserState.Status {
    /// The status of some parts by the overlay rules: what is there hides what goes on.
    init(of parts: [ResourceStatus.Part], priority: [StatusRule]) {
        switch ResourceStatus.of(parts, priority: priority) {
        case .loading: self = .loading
        case .content, .nothing: self = .nothing
        case .failure(let error, _, _): self = .failure(error.userMessage)
        }
    }
}

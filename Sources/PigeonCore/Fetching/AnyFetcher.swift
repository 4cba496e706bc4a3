/// The user code of a definition, with its types erased: the fetch function, and other functions that are called with
/// values.
package final class AnyFetcher: Sendable {
    package enum Execution: Sendable {
        /// The function is awaited in a task that belongs to the attempt.
        case awaited(@Sendable (FetchRun) async -> FetchOutcome)
        /// The function begins the attempt, which is ended with ``FetchRun/end(with:)`` on the thread on which the
        /// answer arrives. If there is an error, the attempt must end with it at once.
        case callback(@Sendable (FetchRun, (any Error)?) -> Void)
    }

    let work: Execution
    private let extras: Extras?

    var isCallback: Bool {
        if case .callback = work { true } else { false }
    }

    /// The properties that few fetchers have. Boxed, because every entry retains a fetcher.
    private final class Extras: Sendable {
        let pager: (any Pager)?
        let request: (any Sendable)?
        let source: (any AnySource)?

        init(pager: (any Pager)?, request: (any Sendable)?, source: (any AnySource)?) {
            self.pager = pager
            self.request = request
            self.source = source
        }
    }

    /// Loads the pages of a list. `nil` for other values.
    package var pager: (any Pager)? { extras?.pager }

    /// The request of a query, set by the libraries above this one. Callers with equal requests can share a fetch.
    /// `nil` if there is none.
    package var request: (any Sendable)? { extras?.request }

    /// The store that holds the data, if the entry does not.
    package var source: (any AnySource)? { extras?.source }

    package init(
        pager: (any Pager)? = nil, request: (any Sendable)? = nil, source: (any AnySource)? = nil,
        run: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) {
        let isPlain = pager == nil && request == nil && source == nil
        extras = isPlain ? nil : Extras(pager: pager, request: request, source: source)
        work = .awaited(run)
    }

    /// Creates a fetcher that does what another one does, and whose data lies in a source of truth.
    init(_ other: AnyFetcher, source: any AnySource) {
        extras = Extras(pager: other.pager, request: other.request, source: source)
        work = other.work
    }

    /// Creates a fetcher whose attempts are ended with ``FetchRun/end(with:)``.
    ///
    /// - Parameter begin: Begins an attempt. If it is given an error, the attempt must end with it at once.
    package init(begin: @escaping @Sendable (FetchRun, (any Error)?) -> Void) {
        (extras, work) = (nil, .callback(begin))
    }
}

extension AnyFetcher {
    package static func closure<Value: Sendable>(
        request: (any Sendable)? = nil, _ fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value
    ) -> AnyFetcher {
        AnyFetcher(request: request) { run in
            do {
                let value = try await fetch(FetchContext(run: run))
                return run.isNotModified ? .notModified : .value(PayloadOf(value))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// The outcome of an attempt.
package enum FetchOutcome: Sendable {
    case value(Payload)
    /// A page, to be added to its list.
    case page(any LoadedPage)
    case notModified
    /// The fetcher has yielded all its values, or there is no such page.
    case finished
    /// No fetch is needed, because up-to-date content has arrived from a cache in the meantime.
    case unneeded
    case failure(any Error)
}

/// Loads pages and adds them to their list, with the types erased.
package protocol Pager: AnyObject, Sendable {
    /// Returns true if there is a page in that direction. Calls no user code.
    func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool
    /// Returns true if the list has no pages, so that the first one must be loaded. Calls no user code.
    func hasNoPages(_ pages: Payload) -> Bool
    /// Loads the page that follows `pages` in the direction. Returns `nil` if there is none.
    func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)?
}

extension Pager {
    package func hasNoPages(_ pages: Payload) -> Bool { false }
}

/// A loaded page that is to be added to its list. An object, so that it is passed on without being copied.
package protocol LoadedPage: AnyObject, Sendable {
    /// Returns the list with the page added. `nil` if the page no longer follows the list. The cost depends on the
    /// page, not on the list. Calls user code.
    func added(to pages: Payload) -> Payload?
}

/// Names the fetch that sends a request.
package struct FetchOrigin: Sendable {
    package let client: ObjectIdentifier?
    package let key: QueryKey
}

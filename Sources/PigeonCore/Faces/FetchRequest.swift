/// A request that a fetch carries for whoever began it. The fetcher finds it in ``FetchCall/request``, and sends it.
///
/// A face whose loads are objects, with a progress and a way to cancel them, makes them requests: the client then keeps each
/// in step with its fetch.
///
/// A fetch carries one request at a time. One that is to be retried, or that the client begins by itself, carries none until
/// somebody gives it one. To carry a request does not count as an interest in the value: a fetch that is neither observed nor
/// awaited is not retried.
public protocol FetchRequest: AnyObject, Sendable {
    /// The fetch carries the request no longer: it has ended, or the attempt that sent the request has failed and the fetch
    /// will be retried. Called once for each request that a fetch has carried, without a lock, after observers have been
    /// notified of the outcome.
    func fetchEnded(_ end: FetchEnd)
}

/// How a fetch that carried a request has ended.
public enum FetchEnd: Sendable {
    /// The client has the answer: it is stored, or dropped because the program has written the value since.
    case answered
    /// The attempt has failed.
    case failed(any Error)
    /// The fetch was cancelled.
    case cancelled
    /// A newer fetch of the key has made the answer obsolete. Those who hold the request may still want it.
    case superseded
}

/// One attempt of a fetch that answers by a call.
public struct FetchCall<Value: Sendable>: Sendable {
    private let run: FetchRun
    private let attempt: Int

    fileprivate init(_ run: FetchRun) {
        (self.run, attempt) = (run, run.attempt)
    }

    /// The key, the cause, the validators and the rest of what a fetcher can know and say.
    public var context: FetchContext<Value> { FetchContext(run: run) }

    /// The request to send, from whoever began the fetch or joined it. `nil` if the fetcher makes one, and then calls
    /// ``carry(_:)``.
    public var request: (any FetchRequest)? { run.request }

    /// Makes the fetch carry a request that the fetcher has made, so that others can join it, and it hears of the end.
    ///
    /// - Returns: The request to send: this one, or one that somebody who joined has brought in the meantime. `nil` if the
    ///   fetch has been stopped. A request that is not returned is carried by none, and hears nothing.
    public func carry(_ request: any FetchRequest) -> (any FetchRequest)? { run.carry(request) }

    /// Ends the attempt. When this returns, the answer has been stored or dropped, and observers have been notified. Further
    /// calls have no effect.
    public func end(with result: Result<Value, any Error>) {
        guard run.attempt == attempt else { return }
        switch result {
        case .success(let value): run.end(with: run.isNotModified ? .notModified : .value(PayloadOf(value)))
        case .failure(let error): run.end(with: .failure(error))
        }
    }
}

extension QueryDefinition {
    /// Creates a query whose fetcher begins an attempt and returns. The attempt ends when ``FetchCall/end(with:)`` is called,
    /// within the fetcher or later, on any thread. The answer is stored on that thread, without a task.
    ///
    /// ```swift
    /// let picture = QueryDefinition<Data>.calling("pictures", url.absoluteString) { call in
    ///     downloads.begin(url) { call.end(with: $0) }
    /// }
    /// ```
    ///
    /// Suits code whose loads are objects: see ``FetchRequest``. Its fetches take no part in a fleet.
    @_disfavoredOverload
    public static func calling(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...,
        begin: @escaping @Sendable (FetchCall<Value>) -> Void
    ) -> QueryDefinition {
        calling(QueryKey(first: first, rest: rest), begin: begin)
    }

    /// Creates a query by its key, and a fetcher that begins an attempt and returns.
    public static func calling(
        _ key: QueryKey, begin: @escaping @Sendable (FetchCall<Value>) -> Void
    ) -> QueryDefinition {
        QueryDefinition(
            key: key,
            fetcher: AnyFetcher { run, refusal in
                let call = FetchCall<Value>(run)
                if let refusal { call.end(with: .failure(refusal)) } else { begin(call) }
            })
    }
}

extension QueryClient {
    /// Starts a fetch that carries a request, and does not wait for it.
    ///
    /// - Parameters:
    ///   - definition: The query.
    ///   - request: The request, which the fetcher finds in ``FetchCall/request``.
    ///   - joining: True to join the fetch in flight, if there is one. It takes the request if it carries none. False to run
    ///     beside it: each answer is shown, unless that of a later fetch has been.
    /// - Returns: The request that the fetch carries: the other one, if a fetch was joined that carries one. This one is then
    ///   carried by none, and hears nothing.
    /// - Throws: ``QueryError/noFetcher(key:)``, or ``QueryError/typeMismatch(key:existing:requested:)``. No fetch carries the
    ///   request then.
    @discardableResult
    public func beginFetch<Value>(
        _ definition: QueryDefinition<Value>, carrying request: any FetchRequest, joining: Bool = false
    ) throws -> any FetchRequest {
        let cause = options.resolve(definition).values.named(.requested)
        return try beginFetch(definition, cause, joining ? .join : .concurrent, carrying: request) ?? request
    }

    @discardableResult
    package func beginFetch<Value>(
        _ definition: QueryDefinition<Value>, _ cause: Cause, _ mode: FetchMode = .concurrent,
        carrying request: (any FetchRequest)? = nil
    ) throws -> (any FetchRequest)? {
        try withSlot(for: definition) { state, slot in
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            state.send(.fetch(cause, mode: mode, fromStart: false, carrying: request), to: slot)
            return slot.entry.flight?.request
        }
    }

    /// Cancels the fetch that carries a request, if it is in flight. Other fetches of the key continue.
    public func cancelFetch(carrying request: any FetchRequest, of key: QueryKey) {
        transact { state in
            guard let slot = state.entries[key], let generation = slot.entry.generation(carrying: request) else {
                return
            }
            state.send(.cancelFetch(generation: generation, .requested), to: slot)
        }
    }

    /// The request of the fetch in flight of a key: the one that it carries, otherwise that of its fetcher. `nil` if there is
    /// none.
    package func requestBeingFetched(for key: QueryKey) -> (any Sendable)? {
        state.withLock { state in
            guard let slot = state.entries[key] else { return nil }
            return slot.entry.flight?.request ?? slot.run?.fetcher.request
        }
    }
}

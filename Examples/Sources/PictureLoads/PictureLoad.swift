public import Foundation
public import PigeonCore

/// A load of a picture, which a fetch of the client carries. All who load the picture meanwhile share it.
///
/// A load is one attempt. If the client retries a fetch, the next attempt has a load of its own.
public final class PictureLoad: FetchRequest, @unchecked Sendable {  // its variables are used only under the lock
    private let url: URL
    private let files: any PictureFiles
    private let readsFiles: Bool
    private let downloader: any PictureDownloader
    private weak var client: QueryClient?  // set once; weak, because the client retains the loads in flight

    private let lock = NSLock()
    /// The attempt that waits for the picture. `nil` if no fetch carries the load.
    private var call: FetchCall<Data>?
    private var download: Task<Void, Never>?
    private var part = 0.0
    private var isEnding = false
    private var result: Result<Data, any Error>?
    private var listeners: [@Sendable (Result<Data, any Error>) -> Void] = []

    init(_ url: URL, _ library: PictureLibrary, readsFiles: Bool = true) {
        (self.url, files, self.readsFiles) = (url, library.files, readsFiles)
        (downloader, client) = (library.downloader, library.client)
    }

    deinit {
        download?.cancel()  // another load has replaced this one, and nobody holds it
    }

    /// The part that has been downloaded, from 0 to 1.
    public var progress: Double { lock.withLock { part } }

    /// The picture, once the client has it. Cancelling a task that waits for it does not end the load, which others share.
    public var data: Data {
        get async throws {
            let (ends, continuation) = AsyncStream<Result<Data, any Error>>.makeStream()
            onEnd { continuation.yield($0) }
            for await result in ends { return try result.get() }
            throw CancellationError()
        }
    }

    private func onEnd(_ listener: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        let known = lock.withLock {
            if result == nil { listeners.append(listener) }
            return result
        }
        if let known { listener(known) }
    }

    /// Cancels the load for all who share it, and its fetch.
    public func cancel() {
        client?.cancelFetch(carrying: self, of: PictureLibrary.key(of: url))
        end(with: .failure(CancellationError()))  // for a load that no fetch carries
    }

    // MARK: The fetch

    /// Starts the load for an attempt of a fetch, unless the load has ended already.
    func send(_ call: FetchCall<Data>) {
        let isWanted = lock.withLock {
            if !isEnding { self.call = call }
            return !isEnding
        }
        guard isWanted, let client else { return }
        let empty = readsFiles ? client.emptyEntry(of: QueryDefinition<Data>.value(call.context.key)) : nil
        // The task does not retain the load: one that has been replaced, and that nobody holds, is released and ends.
        let download = client.environment.launch { [weak self, url, files, downloader] in
            if let empty, let found = await files.picture(at: url), self?.show(found, in: empty) ?? true { return }
            do {
                let data = try await downloader.data(from: url) { [weak self] in self?.note($0) }
                await self?.take(data)
            } catch {
                self?.end(with: .failure(error))
            }
        }
        let result = lock.withLock {
            self.download = download
            return self.result
        }
        if case .failure? = result { download.cancel() }
    }

    /// Ends the load with its fetch, unless only a newer load has made it obsolete: that one goes on for those who hold it.
    public func fetchEnded(_ end: FetchEnd) {
        let wasSent = lock.withLock {
            defer { call = nil }
            return call != nil
        }
        switch end {
        case .superseded where wasSent: return
        case .failed(let error): self.end(with: .failure(error))
        case .answered, .cancelled, .superseded: self.end(with: .failure(CancellationError()))
        }
    }

    private func note(_ part: Double) {
        let call = lock.withLock {
            self.part = part
            return self.call
        }
        call?.context.report(progress: part)
    }

    /// Shows a picture that was on disk, unless another one has come, or this one was removed, since it was looked up.
    ///
    /// - Returns: True if it is fresh, so that no download is needed.
    private func show(_ found: (data: Data, age: Duration), in empty: EmptyEntry<Data>) -> Bool {
        let freshFor = PictureLibrary.lifetime - found.age
        guard freshFor > .zero else {
            client?.show(found.data, age: found.age, in: empty)
            return false
        }
        lock.withLock { call }?.context.isFresh(for: freshFor)
        end(with: .success(found.data))
        return true
    }

    /// Ends the load with a download, and stores it unless it has been replaced or removed, as at a sign-out.
    private func take(_ data: Data) async {
        end(with: .success(data))
        let key = PictureLibrary.key(of: url)
        guard let client, client.value(of: key) == data else { return }
        await files.store(data, at: url)
        if client.value(of: key, as: Data.self) == nil { await files.remove(at: url) }
    }

    /// Ends the load. The client has the result before those who wait for it. Has no effect on a load that has ended.
    func end(with result: Result<Data, any Error>) {
        let (isFirst, call) = lock.withLock {
            defer { (isEnding, self.call) = (true, nil) }
            return (!isEnding, self.call)
        }
        guard isFirst else { return }
        call?.end(with: result)
        let (download, listeners) = lock.withLock {
            self.result = result
            defer { self.listeners = [] }
            return (self.download, self.listeners)
        }
        if case .failure = result { download?.cancel() }
        for listener in listeners { listener(result) }
    }
}

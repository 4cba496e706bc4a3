public import Foundation
public import PigeonCore

/// A picture that a screen shows, or may show again. As long as it exists, its data stays in memory.
public final class Picture: Sendable {
    /// The query of the picture, which any face can use.
    public let definition: QueryDefinition<Data>
    private let url: URL
    private let library: PictureLibrary

    init(_ url: URL, scale: Double, _ library: PictureLibrary) {
        (self.url, self.library) = (url, library)
        definition = library.definition(of: url, scale: scale)
        library.client.hold(definition.key)
    }

    deinit {
        library.client.release(definition.key)
    }

    /// The picture in memory. `nil` if it is not loaded.
    public var data: Data? { library.client.value(of: definition) }

    /// The error of the last load. `nil` if it succeeded.
    public var error: (any Error)? { library.client.snapshot(of: definition).error }

    /// Calls a closure after each change, on the thread of the change, until the subscription ends.
    ///
    /// A picture that is missing or stale is loaded, now and when the network returns, and a load that fails is retried.
    public func onChange(_ body: @escaping @Sendable (Picture) -> Void) -> QuerySubscription {
        let observer = library.client.observe(definition)
        let changes = observer.onChange { [weak self] _ in
            if let self { body(self) }
        }
        return QuerySubscription {
            changes.cancel()
            observer.cancel()
        }
    }

    /// Loads the picture, or joins the load in flight. A picture that is not in memory is looked up on disk first.
    @discardableResult
    public func load() -> PictureLoad {
        begin(PictureLoad(url, library), joining: true)
    }

    /// Downloads the picture, even if a load is in flight: that one may bring the picture as it was before.
    @discardableResult
    public func reload() -> PictureLoad {
        begin(PictureLoad(url, library, readsFiles: false), joining: false)
    }

    private func begin(_ load: PictureLoad, joining: Bool) -> PictureLoad {
        do {
            let carried = try library.client.beginFetch(definition, carrying: load, joining: joining)
            return carried as? PictureLoad ?? load
        } catch {
            load.end(with: .failure(error))
            return load
        }
    }
}

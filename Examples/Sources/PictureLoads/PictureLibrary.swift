public import Foundation
public import PigeonCore

/// Offers pictures as objects: a ``Picture`` for each place that shows one, and a ``PictureLoad`` for each download.
///
/// ```swift
/// let library = PictureLibrary(client, files: folder, downloader: server)
/// let picture = library.picture(at: url)
/// let changes = picture.onChange { avatar.show($0.data) }
/// ```
public struct PictureLibrary: Sendable {
    /// The time for which a downloaded picture is fresh.
    static let lifetime = Duration.hours(24)

    let client: QueryClient
    let files: any PictureFiles
    let downloader: any PictureDownloader

    /// Creates a library whose pictures are the client's in memory.
    public init(_ client: QueryClient, files: any PictureFiles, downloader: any PictureDownloader) {
        (self.client, self.files, self.downloader) = (client, files, downloader)
    }

    /// Returns the picture at an address. All pictures of one address share their data and their loads.
    ///
    /// - Parameter scale: The number of pixels per point.
    public func picture(at url: URL, scale: Double = 1) -> Picture { Picture(url, scale: scale, self) }

    /// The picture at an address as a query, for code that needs no objects, such as `client.prefetch`.
    public func definition(of url: URL, scale: Double = 1) -> QueryDefinition<Data> {
        // A fetch that the client begins itself, or retries, carries no load yet.
        .calling(Self.key(of: url)) { [weak client, files, downloader] call in
            if let load = call.request as? PictureLoad { return load.send(call) }
            guard let client else { return }
            let load = PictureLoad(url, PictureLibrary(client, files: files, downloader: downloader))
            (call.carry(load) as? PictureLoad)?.send(call)
        }
        .face(Pictures(scale: scale))
        .staleAfter(.after(Self.lifetime))
        .keepFor(.forever)
        .retry(.standard)
    }

    static func key(of url: URL) -> QueryKey { QueryKey("pictures", url.absoluteString) }

    /// Removes pictures from memory, least recently used first, until at most `count` are left. Pictures that an object
    /// stands for stay.
    public func removeUnused(keeping count: Int) {
        client.removeUnused(within: "pictures", keeping: count)
    }

    /// Removes all pictures from memory and from disk, as at a sign-out. Ends all loads.
    public func removeAll() async {
        client.remove(.path("pictures"))
        await files.removeAll()
    }
}

/// The face of pictures.
public struct Pictures: QueryFace {
    /// The number of pixels per point.
    public var scale = 1.0

    /// The name in events, as in "requested by pictures".
    public var name: String? { "pictures" }
}

/// Downloads pictures.
public protocol PictureDownloader: Sendable {
    /// Returns the picture at an address. Ends early if its task is cancelled.
    ///
    /// - Parameter progress: Called with the part that has arrived, from 0 to 1.
    func data(from url: URL, progress: @escaping @Sendable (Double) -> Void) async throws -> Data
}

/// Keeps pictures on disk.
public protocol PictureFiles: Sendable {
    /// Returns the picture of an address, and the time since it was stored. `nil` if there is none.
    func picture(at url: URL) async -> (data: Data, age: Duration)?
    /// Stores a picture that has just been downloaded.
    func store(_ data: Data, at url: URL) async
    /// Removes the picture of an address.
    func remove(at url: URL) async
    /// Removes all pictures.
    func removeAll() async
}

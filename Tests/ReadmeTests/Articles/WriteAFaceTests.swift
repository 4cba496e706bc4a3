import Foundation
import Pigeon
import PigeonTesting
import Testing

// The face of the article is linked into the folder `PictureLoads`, so that the article shows the face itself.

private struct PictureServer: PictureDownloader {
    let answers: ScriptedFetcher<Data>

    func data(from url: URL, progress: @escaping @Sendable (Double) -> Void) async throws -> Data {
        progress(0.5)
        return try await answers.call(url.absoluteString)
    }
}

private struct EmptyFolder: PictureFiles {
    func picture(at url: URL) async -> (data: Data, age: Duration)? { nil }
    func store(_ data: Data, at url: URL) async {}
    func remove(at url: URL) async {}
    func removeAll() async {}
}

private struct Avatar {
    func show(_ data: Data?) {}
}

private func pictures(
    _ client: QueryClient, _ folder: EmptyFolder, _ server: PictureServer, _ url: URL, _ avatar: Avatar
) {
    let library = PictureLibrary(client, files: folder, downloader: server)
    let picture = library.picture(at: url)
    let changes = picture.onChange { avatar.show($0.data) }
    let load = picture.load()
    print(load.progress, changes)
}

@Suite("Article: write a face")
struct WriteAFaceTests {
    let lab = QueryLab()
    private let server: PictureServer
    let library: PictureLibrary
    let url: URL
    let ann = Data("ann".utf8)

    init() throws {
        url = try #require(URL(string: "ann.png"))
        server = PictureServer(answers: lab.fetcher(returning: Data.self))
        library = PictureLibrary(lab.client, files: EmptyFolder(), downloader: server)
    }

    @Test func `events name the face`() {
        let changes = library.picture(at: url).onChange { _ in }
        server.answers.succeed(with: ann)
        library.picture(at: url).load()
        #expect(
            lab.log == [
                "pictures/ann.png fetching (observed by pictures)", "pictures/ann.png fresh",
                "pictures/ann.png fetching (requested by pictures)",
            ])
        withExtendedLifetime(changes) {}
    }

    @Test func `an observer that knows only the key has the settings`() {
        let (client, key) = (lab.client, library.picture(at: url).definition.key)
        let changes = library.picture(at: url, scale: 2).onChange { _ in }
        let thumbnail = client.observe(QueryDefinition<Data>.value(key))
        let scale = (thumbnail.snapshot.face as? Pictures)?.scale
        #expect(scale == 2)
        withExtendedLifetime(changes) {}
    }

    @Test func `the page counts the lines of the face`() throws {
        let files = Page.files(in: "Examples/Sources/PictureLoads", withExtension: "swift")
        let count = try files.reduce(0) { count, file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).count
                + count
        }
        #expect(files.count == 3 && abs(count - 290) < 10)
    }

    @Test func `the engine names no module that is built on it`() throws {
        let names = /Pigeon(?:Store|HTTP|REST|UI|SQLite|Testing)\b|`Pigeon`|Siesta|StoreFlowable|cacheConfig/
        for file in Page.files(in: "Sources/PigeonCore", withExtension: "swift") {
            let found = try String(contentsOf: file, encoding: .utf8).matches(of: names).map { String($0.output) }
            #expect(found == [], "\(file.lastPathComponent)")
        }
    }
}

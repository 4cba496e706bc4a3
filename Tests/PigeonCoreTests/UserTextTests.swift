import Foundation
import PigeonCore
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("texts for users", .rule("A42", "N3"))
struct UserTextTests {
    private struct Secretive: Error {
        let token = "hush"
    }

    private struct Silent: LocalizedError {}

    @Test("Each text is in all languages, and is another in each", arguments: UserText.allCases)
    func languages(text: UserText) {
        let texts = UserText.languages.map(text.text(in:))
        #expect(texts.count == 3 && !texts.contains(""))
        #expect(Set(texts).count == texts.count)
        #expect(text.text(in: "it") == text.text(in: "en"))
    }

    @Test("No two texts or keys are the same, so an app can replace each")
    func keys() {
        let texts = UserText.allCases.map { $0.text(in: "en") }
        #expect(Set(texts).count == UserText.allCases.count)
        #expect(Set(UserText.allCases.map(\.key)).count == UserText.allCases.count)
        #expect(UserText.offline.key == "pigeon.offline")
    }

    @Test("An app replaces a text in its own table, under the text's key")
    func ownTable() throws {
        try withApp(tables: ["Pigeon": #""pigeon.retry" = "Once more";"#]) { app in
            #expect(UserText.retry.text(overriddenBy: app) == "Once more")
            #expect(UserText.offline.appText(in: app) == nil)
            #expect(UserText.offline.text(overriddenBy: app) == UserText.offline.text)
        }
    }

    @Test("An app replaces a text in its default table, under the English text, as for Siesta")
    func defaultTable() throws {
        let tables = [
            "Localizable": #""Cannot send request" = "No way"; "Request cancelled" = "Stopped";"#,
            "Pigeon": #""pigeon.cancelled" = "Never mind";"#,
        ]
        try withApp(tables: tables) { app in
            #expect(UserText.cannotSend.text(overriddenBy: app) == "No way")
            #expect(UserText.cancelled.text(overriddenBy: app) == "Never mind", "the table of this library comes first")
        }
    }

    @Test("An app without tables has the library's texts")
    func noTable() {
        #expect(UserText.allCases.allSatisfy { $0.appText() == nil })
        #expect(UserText.allCases.allSatisfy { UserText.languages.map($0.text(in:)).contains($0.text) })
    }

    @Test("The errors of the engine and of caches")
    func ofTheEngine() {
        let errors: [any Error] = [
            QueryError.typeMismatch(key: "hush", existing: "hush", requested: "Int"), QueryError.noFetcher(key: "hush"),
            QueryError.noValue(key: "hush"), QueryError.notModifiedWithoutValue(key: "hush"),
            QueryError.timedOut(key: "hush", limit: .seconds(7)), QueryError.awaitsItself(key: "hush"),
            QueryError.notPaged(key: "hush"), QueryCacheError.cannotRemoveAll(cache: "hush"),
            QueryCacheError.storage(cache: "hush", reason: "hush"),
        ]
        for error in errors {
            expectReadable(error)
            #expect("\(error)".contains("hush"), "the text for developers names what the error is about")
        }
    }

    @Test("An error's own text is kept; of an unknown error nothing is shown")
    func others() {
        let own = NSError(domain: "hush", code: 7, userInfo: [NSLocalizedDescriptionKey: "In words."])
        #expect(own.userMessage == "In words.")
        for error: any Error in [Secretive(), Silent(), NSError(domain: "hush", code: 7)] {
            #expect(error.userMessage == UserText.somethingWentWrong.text)
        }
        #expect(CancellationError().userMessage == UserText.cancelled.text)
        expectReadable(CocoaError(.fileReadNoSuchFile).userMessage, of: CocoaError(.fileReadNoSuchFile))
    }

    @Test(
        "A network error without a text of its own has one by its code",
        arguments: [
            .unknown, .cancelled, .badURL, .timedOut, .unsupportedURL, .cannotFindHost, .cannotConnectToHost,
            .networkConnectionLost, .dnsLookupFailed, .httpTooManyRedirects, .resourceUnavailable,
            .notConnectedToInternet, .redirectToNonExistentLocation, .badServerResponse, .userAuthenticationRequired,
            .zeroByteResource, .cannotDecodeContentData, .cannotParseResponse, .dataLengthExceedsMaximum,
            .secureConnectionFailed, .serverCertificateUntrusted, .clientCertificateRequired, .cannotWriteToFile,
        ] as [URLError.Code])
    func network(code: URLError.Code) {
        expectReadable(URLError(code).userMessage, of: URLError(code))
    }

    @Test("Each status has a text", arguments: [-1, 0, 99, 200, 304, 400, 401, 403, 404, 410, 418, 429, 500, 503, 999])
    func status(number: Int) {
        #expect(!UserText(status: number).text.isEmpty)
        #expect((UserText(status: number) == .notFound) == [404, 410].contains(number))
    }

    /// Calls a closure with the bundle of an app that has tables of strings.
    private func withApp(tables: [String: String], _ body: (Bundle) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID()).bundle")
        let language = folder.appendingPathComponent("en.lproj")
        try FileManager.default.createDirectory(at: language, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, strings) in tables {
            try Data(strings.utf8).write(to: language.appendingPathComponent("\(name).strings"))
        }
        let app = try #require(Bundle(url: folder))
        try body(app)
    }
}

import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import PigeonUI
import SwiftUI
import Testing

/// The view of the article "One configuration for many addresses", compiled and shown.
@Suite("Article: one configuration for many addresses, with SwiftUI")
@MainActor
struct ServiceSnippets {
    struct Book: Codable, Identifiable, Sendable {
        var id: Int
        var title: String
    }

    struct BookView: View {
        @UseQuery(.book(42)) var book: Snapshot<Book>

        var body: some View {
            StateView(book, retry: $book.retry) { Text($0.title) }
        }
    }

    @Test func `a view shows an address of the service`() async throws {
        bookServer.answer(.get, "/books/42", with: try .json(Book(id: 42, title: "Emma")))
        library.configure("/books/*", decoding: Book.self)
        let screen = Screen { BookView().environment(\.queryClient, library.client) }
        #expect(await screen.wait { $0.contains("Emma") })
        #expect(bookServer.requests.count == 1)
        screen.close()
    }
}

private let bookServer = MockTransport()
private let library = Service(baseURL: "https://api.example.com", networking: bookServer, client: QueryClient())

extension QueryDefinition where Value == ServiceSnippets.Book {
    static func book(_ id: Int) -> Self { library.definition("/books/\(id)") }
}

import Foundation
import PigeonCore
import PigeonHTTP
import PigeonUI
import SwiftUI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("failures are told in words", .rule("A42", "N3"))
struct FailureTextTests {
    private let offline = HTTPError.transport(URLError(.notConnectedToInternet))
    private let told = "The Internet connection appears to be offline."

    @Test func `the stock view of a failure shows the text for users`() {
        #expect(Screen { FailureView(offline, retry: {}) }.text == "<exclamationmark.triangle>\n\(told)\n[Try Again]")
        #expect(Screen { FailureView(URLError(.notConnectedToInternet)) }.text.hasSuffix(told))
        #expect(Screen { FailureView(QueryError.noFetcher(key: "hush")) }.text.hasSuffix("Something went wrong."))
        #expect(Screen { FailureView(RequestError.missingURL) }.text.hasSuffix("Cannot send request"))
    }

    @Test func `so do content that could not be refreshed, and a page that could not be loaded`() {
        let stale = ViewState(content: [ann], error: offline)
        #expect(Screen { StateView(stale, content: names) }.text.contains(told))
        let page = Screen { NextPageView(count: 1, hasNextPage: true, error: offline) {} }
        #expect(page.text == "\(told)\n[Try Again]")
    }
}

@preconcurrency import BackgroundTasks
import Foundation
import PigeonCore
import PigeonSQLite
import PigeonUI
import SwiftUI
import TestSupport
import Testing
import WidgetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Article: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
}

extension QueryDefinition where Value == [Article] {
    static var news: Self {
        QueryDefinition("news") { _ in [Article(id: 1, title: "Rain")] }.staleAfter(.never).persisted()
    }

    static var archive: Self { QueryDefinition("archive") { _ in [] }.persisted() }
}

struct NewsList: View {
    var body: some View {
        QueryView(.news) { news in
            List(news) { Text($0.title) }
        }
    }
}

/// The snippets of the article "Refresh in the background", compiled; `ReadmeTests` compares.
private enum BackgroundSnippets {
    struct NewsApp: App {
        let client = QueryClient()

        var body: some Scene {
            WindowGroup { NewsList().queryClient(client) }
                .backgroundTask(.appRefresh("news.refresh")) { await refreshNews(client) }
        }
    }

    final class ArchiveDownload: NSObject, URLSessionDownloadDelegate {
        let client: QueryClient

        init(client: QueryClient) {
            self.client = client
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            // The file is removed when this function returns.
            guard let data = try? Data(contentsOf: location),
                let archive = try? JSONDecoder().decode([Article].self, from: data)
            else { return }
            try? client.set(archive, for: .archive)
        }
    }
}

/// The snippets of the article "Share data with a widget", compiled; `ReadmeTests` compares.
private enum WidgetSnippets {
    struct NewsEntry: TimelineEntry {
        var date: Date
        var titles: [String]
    }

    struct NewsProvider: TimelineProvider {
        func placeholder(in context: Context) -> NewsEntry {
            NewsEntry(date: Date(), titles: ["A headline", "Another one"])
        }

        func getSnapshot(in context: Context, completion: @escaping @Sendable (NewsEntry) -> Void) {
            Task { completion(await entry()) }
        }

        func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<NewsEntry>) -> Void) {
            Task {
                let nextHour = Date(timeIntervalSinceNow: 3600)
                completion(Timeline(entries: [await entry()], policy: .after(nextHour)))
            }
        }

        private func entry() async -> NewsEntry {
            let articles = try? await makeClient().fetch(.news, .cacheOnly)
            return NewsEntry(date: Date(), titles: articles?.prefix(3).map(\.title) ?? [])
        }
    }

    @MainActor
    final class WidgetUpdates {
        private var updates: Task<Void, Never>?

        func follow(_ client: QueryClient) {
            let news = client.observe(.news)
            updates = Task {
                for await snapshot in news where !snapshot.isFetching {
                    await client.flush()
                    WidgetCenter.shared.reloadTimelines(ofKind: "news")
                }
            }
        }
    }
}

func refreshNews(_ client: QueryClient) async {
    requestRefresh()
    _ = try? await client.refetch(.news)
    await client.flush()
}

func requestRefresh() {
    let request = BGAppRefreshTaskRequest(identifier: "news.refresh")
    request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
    try? BGTaskScheduler.shared.submit(request)
}

func registerRefresh(_ client: QueryClient) {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: "news.refresh", using: nil) { task in
        let work = Task {
            await refreshNews(client)
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = { work.cancel() }
    }
}

func makeClient() throws -> QueryClient {
    let group = "group.com.example.news"
    guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
        throw CocoaError(.fileNoSuchFile)
    }
    return QueryClient(cache: try SQLiteQueryCache(at: folder.appendingPathComponent("queries.sqlite")))
}

@MainActor
@Suite("The articles about the background and about widgets")
struct BackgroundArticleTests {
    @Test func `the app's views show what a refresh in the background has fetched`() async {
        let client = QueryClient()
        await refreshNews(client)
        #expect(BGTaskScheduler.shared.identifiers == ["news.refresh"])
        #expect(Screen { NewsList().environment(\.queryClient, client) }.text == "List\n  Rain")
        registerRefresh(client)
        let task = BGTaskScheduler.shared.launch("news.refresh")
        await until { task.success == true }
        #expect(BGTaskScheduler.shared.identifiers == ["news.refresh", "news.refresh"])
    }

    @Test func `a background download becomes the value of a query`() throws {
        let client = QueryClient()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try JSONEncoder().encode([Article(id: 2, title: "Snow")]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let session = URLSession(configuration: .ephemeral)
        let task = session.downloadTask(with: URLRequest(url: file))
        BackgroundSnippets.ArchiveDownload(client: client)
            .urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
        #expect(client.value(of: .archive)?.map(\.title) == ["Snow"])
        session.invalidateAndCancel()
    }

    @Test func `a widget shows what the app has fetched, without a request, and the app takes over its changes`()
        async throws
    {
        defer { FileManager.removeContainers() }
        let app = try makeClient()
        let (provider, context) = (WidgetSnippets.NewsProvider(), TimelineProviderContext())
        #expect(!provider.placeholder(in: context).titles.isEmpty)
        func titles() async -> [[String]] {
            await withCheckedContinuation { done in
                provider.getTimeline(in: context) { done.resume(returning: $0.entries.map(\.titles)) }
            }
        }
        #expect(await titles() == [[]])
        _ = try await app.fetch(.news)
        await app.flush()
        #expect(await titles() == [["Rain"]])
        let snapshot = await withCheckedContinuation { done in
            provider.getSnapshot(in: context) { done.resume(returning: $0.titles) }
        }
        #expect(snapshot == ["Rain"])

        let updates = WidgetSnippets.WidgetUpdates()
        updates.follow(app)
        await until { WidgetCenter.shared.reloads.contains("news") }

        let widget = try makeClient()
        try widget.set([Article(id: 3, title: "Sun")], for: .news)
        await widget.flush()
        await until { app.value(of: .news)?.map(\.title) == ["Sun"] }
    }
}

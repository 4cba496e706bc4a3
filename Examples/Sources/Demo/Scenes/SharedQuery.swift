import Pigeon

/// Three screens query the same definition, and the server is asked once.
enum SharedQuery: Scene {
    static let title = "One query, three screens, one request"

    static func play(_ stage: Stage) async throws {
        let before = stage.tally
        stage.say("a list asks for the users; a header and a sidebar show the same")
        let list = Query(.users(stage.api), client: stage.client)
        let header = Query(.users(stage.api), client: stage.client)
        let sidebar = Query(.users(stage.api), client: stage.client)
        let screens = [
            stage.screen(of: list) { stage.read("the list shows \($0.count) users") },
            stage.screen(of: header) { stage.read("the header shows \($0.count) users") },
            stage.screen(of: sidebar) { stage.read("the sidebar shows \($0.first?.name ?? "nobody")") },
        ]
        try await stage.until("three screens to show the users") { stage.reads - before.reads == 3 }
        screens.forEach { $0.cancel() }

        let later = Query(.users(stage.api), client: stage.client)
        stage.read("a screen that opens later shows \(later.value?.count ?? 0) users at once")
        stage.check("4 reads, 1 request", (stage.tally - before) == Tally(reads: 4, requests: 1))
    }
}

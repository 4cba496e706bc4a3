#if Devtools
    import Foundation
    import PigeonCore
    import PigeonDevtools

    /// The code in the documentation of developer tools.
    private enum DevtoolsSnippets {
        static func start(_ client: QueryClient, _ other: QueryClient) async throws {
            let devtools = try await Devtools.start(client)
            devtools.add(other, named: "search")
        }

        static func look(_ client: QueryClient) {
            if let report = client.report(of: QueryKey("users", 42)) { print(report.info, report.deadlines) }
        }

        static func disturb(_ client: QueryClient) {
            client.setFault(.delay(.seconds(3)), for: .path("users"))
        }
    }
#endif

import Foundation
import PigeonCore
import PigeonUI
import SwiftUI
import Testing

private typealias UserView = SwiftUISnippets.UserView

private let ann = User(id: 42, name: "Ann")

/// The snippets of the article "Preview views", compiled; `ReadmeTests` compares.
private enum PreviewSnippets {
    struct UserPreviews: PreviewProvider {
        static var previews: some View {
            UserView(id: 42).environment(\.queryClient, .preview { $0.show(ann, for: .user(42)) })
                .previewDisplayName("Shown")
        }
    }
}

// `#Preview` needs a plug-in of the compiler that only Xcode has.
#if canImport(DeveloperToolsSupport)
    #Preview("Loading") {
        UserView(id: 42).environment(\.queryClient, .preview())
    }

    #Preview("Shown") {
        UserView(id: 42).environment(\.queryClient, .preview { $0.show(ann, for: .user(42)) })
    }

    #Preview("Failed") {
        UserView(id: 42).environment(\.queryClient, .preview { $0.fail(.user(42), with: URLError(.timedOut)) })
    }

    #Preview("Not refreshed") {
        UserView(id: 42)
            .environment(
                \.queryClient,
                .preview {
                    $0.show(ann, for: .user(42))
                    $0.fail(.user(42), with: URLError(.timedOut))
                })
    }

    #Preview("Large text") {
        UserView(id: 42)
            .environment(\.queryClient, .preview { $0.fail(.user(42), with: URLError(.timedOut)) })
            .environment(\.dynamicTypeSize, .accessibility5)
    }
#endif

@MainActor
@Suite("The article about previews")
struct PreviewArticleTests {
    @Test func `each preview shows what it is told`() {
        #expect(Screen { PreviewSnippets.UserPreviews.previews }.text == "Ann")
        let failed = QueryClient.preview { $0.fail(.user(42), with: URLError(.timedOut)) }
        let large = Screen {
            UserView(id: 42).environment(\.queryClient, failed).environment(\.dynamicTypeSize, .accessibility5)
        }
        #expect(large.text.hasSuffix("The request timed out.\n[Try Again]"))
    }
}

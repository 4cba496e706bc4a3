import Foundation
import ImageIO
import PigeonCore
import PigeonHTTP
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("A view of an image at a URL")
struct RemoteImageTests {
    private let answers = Answers()
    private let client = QueryClient()

    /// The bytes of an image at the server of the test.
    private func bytes(_ name: String) -> QueryDefinition<Data> {
        let transport = answers.transport
        return QueryDefinition<Data>("images", name) { context in
            let server = try #require(URL(string: "https://images.test"))
            let dispatcher = NetworkDispatcher(baseURL: server, transport: transport)
            return try await dispatcher.data(from: BasicRequest.get("/\(name)"), for: context)
        }
        .staleAfter(.never).whenAbandoned(.cancel)
    }

    private func screen(
        _ client: QueryClient? = nil, @ViewBuilder _ content: @escaping @MainActor () -> some View
    ) -> Screen {
        let client = client ?? self.client
        return Screen { content().environment(\.queryClient, client) }
    }

    @Test func `an image is decoded in the size of the view, and not on the main thread`() async {
        let image = "400x300 \(UUID())"
        let screen = screen {
            RemoteImage(bytes("a"), placeholder: { Text("…") }).frame(width: 40, height: 40)
            RemoteImage(bytes("a"), contentMode: .fill, placeholder: { Text("…") }).frame(width: 40, height: 40)
        }
        #expect(screen.text == "…\n…")
        answers.give(image, for: "a")
        // 80 pixels, in steps of 32.
        #expect(await screen.wait { $0 == "<\(image) 96x72>\n<\(image) 128x96>" })
        #expect(Decoding.all(of: image).map(\.maxPixelSize).sorted() == [96, 128])
        #expect(Decoding.all(of: image).allSatisfy { !$0.isOnMainThread })
        #expect(answers.asked == ["a"])
    }

    @Test func `an image on its side has its sides exchanged, and a small one is not enlarged`() async {
        let screen = screen {
            RemoteImage(bytes("a")).frame(width: 40, height: 160)
            RemoteImage(bytes("b")).frame(width: 40, height: 40)
        }
        answers.give("400x100 on its side", for: "a")
        answers.give("20x10 b", for: "b")
        #expect(await screen.wait { $0 == "<400x100 on its side 80x320>\n<20x10 b 20x10>" })
    }

    @Test(arguments: [StaleTime.never, .zero])
    func `without a network, bytes of any age are decoded in another size`(staleAfter: StaleTime) async {
        let image = "400x300 \(UUID())"
        let isOpen = Choice(false)
        let screen = screen {
            let bytes = bytes("a").staleAfter(staleAfter)
            RemoteImage(bytes).frame(width: 40, height: 40)
            if isOpen.value { RemoteImage(bytes).frame(width: 80, height: 80) }
        }
        answers.give(image, for: "a")
        #expect(await screen.wait { $0 == "<\(image) 96x72>" })
        client.environment.connectivity.set(false)
        isOpen.value = true
        screen.rebuild()
        #expect(await screen.wait { $0 == "<\(image) 96x72>\n<\(image) 160x120>" })
        #expect(answers.asked == ["a"])
    }

    @Test func `views of the same size share the pixels, and a view that appears later has them at once`() async {
        let image = "64x64 \(UUID())"
        let isOpen = Choice(false)
        let screen = screen {
            RemoteImage(bytes("a"))
            RemoteImage(bytes("a"))
            if isOpen.value { RemoteImage(bytes("a")) }
        }
        answers.give(image, for: "a")
        let shown = "<\(image) 64x64>"
        #expect(await screen.wait { $0 == "\(shown)\n\(shown)" })
        isOpen.value = true
        screen.rebuild()
        #expect(screen.text == "\(shown)\n\(shown)\n\(shown)")
        #expect(answers.asked == ["a"] && Decoding.all(of: image).count == 1)
    }

    @Test(arguments: [true, false])
    func `a load is cancelled when the view leaves the screen, also if it lives on`(livesOn: Bool) async {
        let isOpen = Choice(true)
        let screen = screen {
            if isOpen.value {
                NavigationStack {
                    RemoteImage(bytes("a"), placeholder: { Text("…") })
                    NavigationLink("On") { Text("Page") }
                }
            }
        }
        await until { answers.asked == ["a"] }
        if livesOn {
            screen.tap("On")
        } else {
            isOpen.value = false
            screen.rebuild()
        }
        await until { answers.cancelled == ["a"] }
        guard livesOn else { return }
        screen.goBack()
        answers.give("64x64 a", for: "a")
        #expect(await screen.wait { $0.contains("<64x64 a 64x64>") })
    }

    @Test func `a view below another page has its image at once when it returns, without a fetch or a decoding`() async
    {
        let image = "64x64 \(UUID())"
        let screen = screen {
            NavigationStack {
                RemoteImage(bytes("a"), placeholder: { Text("…") })
                NavigationLink("On") { Text("Page") }
            }
        }
        answers.give(image, for: "a")
        #expect(await screen.wait { $0.contains(image) })
        screen.tap("On")
        screen.goBack()
        #expect(screen.text.contains(image) && !screen.text.contains("…"))
        #expect(answers.asked == ["a"] && Decoding.all(of: image).count == 1)
    }

    @Test func `a view that changes its size shows the image before until the other one is ready`() async {
        let image = "400x400 \(UUID())"
        let (side, name) = (Choice(CGFloat(16)), Choice("a"))
        let screen = screen {
            RemoteImage(bytes(name.value), placeholder: { Text("…") }).frame(width: side.value, height: side.value)
        }
        answers.give(image, for: "a")
        #expect(await screen.wait { $0 == "<\(image) 32x32>" })
        Decoding.hold(image)
        side.value = 64
        screen.rebuild()
        #expect(screen.text == "<\(image) 32x32>")
        Decoding.release(image)
        #expect(await screen.wait { $0 == "<\(image) 128x128>" })
        #expect(Decoding.all(of: image).allSatisfy { !$0.isOnMainThread }, "the bytes were in memory the second time")
        name.value = "b"
        screen.rebuild()
        #expect(screen.text == "…", "the image of another URL is never shown for this one")
    }

    @Test(arguments: ["", "broken"])
    func `an image that cannot be loaded or decoded can be retried`(content: String) async {
        answers.give(content, status: content.isEmpty ? .notFound : .ok, for: "a")
        let screen = screen { RemoteImage(bytes("a")) }
        #expect(await screen.wait { $0 == "[<arrow.clockwise>]" })
        #expect(screen.spoken.count == 1 && screen.spoken[0].hasSuffix(" Try Again, button"))
        answers.give("64x64 a", for: "a")
        screen.tap("<arrow.clockwise>")
        #expect(await screen.wait { $0 == "<64x64 a 64x64>" })
        #expect(answers.asked == ["a", "a"])
    }

    @Test(arguments: [1 << 20, 20_000])
    func `images that no view shows stay as long as the budget allows`(budget: Int) async {
        let images = ["a": "64x64 \(UUID())", "b": "64x64 \(UUID())"]
        let (name, client) = (Choice("a"), QueryClient(budget: budget))
        let screen = screen(client) { RemoteImage(bytes(name.value)) }
        for next in ["a", "b", "a"] {
            name.value = next
            screen.rebuild()
            // The image before is no longer in use, so that it can make room for this one.
            await until { client.inspect().entries.values.count { $0.observers > 0 } == 1 }
            answers.give(images[next] ?? "", for: next)
            #expect(await screen.wait { $0 == "<\(images[next] ?? "") 64x64>" })
        }
        // Each has 16,384 bytes.
        #expect(Decoding.all(of: images["a"] ?? "").count == (budget == 20_000 ? 2 : 1))
    }

    @Test func `an image with a label is read, also while it is loaded, and one without is not`() async {
        let screen = screen {
            RemoteImage(bytes("a"), label: Text("Ann"))
            RemoteImage(bytes("a"), placeholder: { Text("…") })
        }
        #expect(screen.spoken == ["Ann"])
        answers.give("64x64 a", for: "a")
        #expect(await screen.wait { $0 == "<64x64 a 64x64>\n<64x64 a 64x64>" })
        #expect(screen.spoken == ["Ann"])
    }

    @Test(arguments: [true, false])
    func `an image that was loaded appears with an animation, unless the user prefers less motion`(
        reducesMotion: Bool
    ) async {
        let screen = screen { RemoteImage(bytes("a")).environment(\.accessibilityReduceMotion, reducesMotion) }
        answers.give("64x64 a", for: "a")
        #expect(await screen.wait { $0 == "<64x64 a 64x64>" })
        #expect((screen.animatedChanges == 0) == reducesMotion)
    }

    @Test func `without a URL, and without a size, nothing is loaded`() {
        let screen = screen {
            RemoteImage(nil as URL?, placeholder: { Text("…") })
            RemoteImage(bytes("a"), placeholder: { Text("…") }).frame(width: 0, height: 0)
        }
        #expect(screen.text == "…\n…" && answers.asked.isEmpty)
    }

    @Test func `the image at a URL is reloaded by its path, in all sizes`() throws {
        let url = try #require(URL(string: "https://images.test/a.png?size=2"))
        let definition = QueryDefinition.image(at: url)
        #expect(definition.key == QueryKey("images", url.absoluteString))
        #expect(definition.key.tags == ["images"])
    }

    @Test func `an invalidated image is loaded and decoded again`() async {
        answers.give("64x64 old", for: "a")
        let screen = screen { RemoteImage(bytes("a")) }
        #expect(await screen.wait { $0 == "<64x64 old 64x64>" })
        answers.give("64x64 new", for: "a")
        client.invalidateWithoutWaiting(.path(of: bytes("a")))
        #expect(await screen.wait { $0 == "<64x64 new 64x64>" })
    }

    /// Shows an image that is fresh for an hour by its definition, and twice once the choice is true.
    private func screen(_ client: QueryClient, showingTwice: Choice<Bool>) -> Screen {
        screen(client) {
            let bytes = bytes("a").staleAfter(.hours(1))
            RemoteImage(bytes)
            if showingTwice.value { RemoteImage(bytes) }
        }
    }

    @Test func `an image is loaded again when its server no longer calls it fresh`() async {
        let (clock, isTwice) = (ManualClock(), Choice(false))
        let screen = screen(QueryClient(environment: QueryEnvironment(clock: clock)), showingTwice: isTwice)
        answers.give("64x64 old", maxAge: 60, for: "a")
        #expect(await screen.wait { $0 == "<64x64 old 64x64>" })
        answers.give("64x64 new", maxAge: 60, for: "a")
        clock.advance(by: .seconds(61))
        isTwice.value = true
        screen.rebuild()
        #expect(await screen.wait { $0 == "<64x64 new 64x64>\n<64x64 new 64x64>" })
        #expect(answers.asked == ["a", "a"])
    }

    @Test func `an image that its server calls fresh is not decoded again, whatever the definition says`() async {
        let (image, clock, isTwice) = ("64x64 \(UUID())", ManualClock(), Choice(false))
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        let screen = screen(client, showingTwice: isTwice)
        answers.give(image, maxAge: 86_400, for: "a")
        #expect(await screen.wait { $0 == "<\(image) 64x64>" })
        clock.advance(by: .seconds(7200))
        Decoding.hold(image)
        isTwice.value = true
        screen.rebuild()
        #expect(screen.text == "<\(image) 64x64>\n<\(image) 64x64>")
        #expect(client.activity().fetchCount == 0)
        Decoding.release(image)
        #expect(Decoding.all(of: image).count == 1)
    }
}

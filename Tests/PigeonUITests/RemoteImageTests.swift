import Foundation
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing
import ViewSupport

@MainActor
@Suite("a view of a remote image, in a window")
struct RemoteImageTests {
    private let client = QueryClient()
    private let server = ScriptedFetcher(returning: Data.self)

    /// A file that each system can decode: a bitmap without a palette, with three bytes a pixel.
    private func bitmap(width: Int, height: Int) -> Data {
        func number(_ number: Int, bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let row = (width * 3 + 3) / 4 * 4
        var file: [UInt8] = Array("BM".utf8)
        file += [54 + row * height, 0, 54, 40, width, height].flatMap { number($0, bytes: 4) }
        file += number(1, bytes: 2) + number(24, bytes: 2)
        file += [0, row * height, 2835, 2835, 0, 0].flatMap { number($0, bytes: 4) }
        file += [UInt8](repeating: 200, count: row * height)
        return Data(file)
    }

    private struct Picture: View {
        let bytes: QueryDefinition<Data>

        var body: some View {
            RemoteImage(bytes) { _ in
                Probe("image")
            } placeholder: {
                Probe("placeholder")
            } failure: { _, retry in
                Probe("failure")
                Probe("retry", action: retry)
            }
            .frame(width: 40, height: 40)
        }
    }

    private var bytes: QueryDefinition<Data> {
        QueryDefinition<Data>("images", "a", fetch: server.fetch).staleAfter(.never).whenAbandoned(.cancel)
    }

    private func host(@ViewBuilder _ content: @escaping @MainActor () -> some View) -> ViewHost {
        let client = client
        return ViewHost { content().environment(\.queryClient, client) }
    }

    @Test func `a placeholder is shown, and then the image`() async {
        let bytes = bytes
        let host = host { Picture(bytes: bytes) }
        #expect(await host.wait { $0 == ["placeholder"] && server.pendingCount == 1 })
        server.succeed(with: bitmap(width: 64, height: 48))
        #expect(await host.wait { $0 == ["image"] })
        #expect(server.calls.count == 1)
        host.close()
    }

    @Test func `what is no image is told, and can be retried`() async {
        let bytes = bytes
        let host = host { Picture(bytes: bytes) }
        server.succeed(with: Data("broken".utf8))
        #expect(await host.wait { $0 == ["failure"] })
        #expect(host.tap("retry"))
        server.succeed(with: bitmap(width: 64, height: 48))
        #expect(await host.wait { $0 == ["image"] })
        #expect(server.calls.count == 2)
        host.close()
    }

    @Test func `a load is cancelled when the view goes`() async {
        let (bytes, isOpen) = (bytes, Choice(true))
        let host = host {
            if isOpen.value { Picture(bytes: bytes) } else { Probe("gone") }
        }
        #expect(await host.wait { $0 == ["placeholder"] && server.pendingCount == 1 })
        isOpen.value = false
        host.rebuild()
        #expect(await host.wait { $0 == ["gone"] })
        await until { server.pendingCount == 0 }
        host.close()
    }
}

/// What a parent of the view under test decides, from one build to the next.
@MainActor
private final class Choice<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

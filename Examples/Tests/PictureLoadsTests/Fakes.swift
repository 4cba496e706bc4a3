import Foundation
import PigeonTesting
import PictureLoads

/// A server whose answers a test decides.
struct Server: PictureDownloader {
    let answers: ScriptedFetcher<Data>

    func data(from url: URL, progress: @escaping @Sendable (Double) -> Void) async throws -> Data {
        progress(0.5)
        return try await answers.call(url.absoluteString)
    }
}

/// A disk whose operations end when a test decides.
struct Disk: PictureFiles {
    let reads: ScriptedFetcher<(data: Data, age: Duration)?>
    let writes: ScriptedFetcher<Void>

    /// Makes all operations end at once. Nothing is found.
    func empty() {
        reads.answerCalls { _ in nil }
        writes.answerCalls { _ in }
    }

    /// The changes so far, such as `store/ann.png`.
    var changes: [String] { writes.calls.map { "\($0.key)" } }

    func picture(at url: URL) async -> (data: Data, age: Duration)? {
        do { return try await reads.call(url.absoluteString) } catch { return nil }
    }

    func store(_ data: Data, at url: URL) async { try? await writes.call("store", url.absoluteString) }
    func remove(at url: URL) async { try? await writes.call("remove", url.absoluteString) }
    func removeAll() async { try? await writes.call("remove all") }
}

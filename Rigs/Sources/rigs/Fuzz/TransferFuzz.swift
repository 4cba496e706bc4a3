internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What header fields say of the next request: when, for which bytes, and where.
enum TransferFuzz {
    /// A clock on which every wait is over at once.
    private final class HurriedClock: QueryClock {
        private let time = Mutex(MonotonicInstant(nanoseconds: 0))
        private let longest = Mutex(Duration.zero)

        var longestWait: Duration { longest.withLock { $0 } }

        func now() -> MonotonicInstant { time.withLock { $0 } }

        func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
            let wait = now().duration(to: deadline)
            longest.withLock { $0 = max($0, wait) }
            time.withLock { $0 = max($0, deadline) }
            Task { action() }
            return AlarmHandle {}
        }
    }

    /// A server that is busy is asked again no sooner than it says.
    static func checkRetryAfter(_ random: inout SeededRandom) async throws -> String? {
        let seconds = random.number(0..<100)
        let isSound = random.chance(2)
        let text =
            isSound
            ? "\(seconds)"
            : random.mutated(random.pick(["\(seconds)", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999"]))
        let mock = MockTransport()
        mock.answer(
            .get, "/busy", with: .status(.serviceUnavailable, headers: ["Retry-After": text]), then: .text("free"))
        var policy = HTTPPolicy()
        policy.retry = .standard
        let clock = HurriedClock()
        let answer = try? await dispatcher(over: mock, policy: policy, clock: clock).response(from: .get("/busy"))
        guard isSound, answer?.statusCode == .ok, clock.longestWait < .seconds(seconds) else { return nil }
        return "Retry-After: \(text): asked again after \(clock.longestWait)"
    }

    // MARK: Ranges

    /// A download that says it is done has the bytes of the file, however the server cuts and loses them; and one whose
    /// ranges are nonsense ends.
    static func checkRanges(_ random: inout SeededRandom) async throws -> String? {
        let content = random.bytes(random.number(1..<3000))
        let seed = random.next()
        let isHonest = random.chance(2)
        let asked = Mutex(0)
        let mock = MockTransport()
        mock.answer(.get, "/file") { request, _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            var random = SeededRandom(seed, number)
            return rangeAnswer(to: request.headers["Range"], content, isHonest: isHonest, isLast: number > 40, &random)
        }
        let folder = try Folder()
        let file = folder.file("file")
        var options = DownloadOptions()
        options.keepsPartialFile = true
        options.limit = 100_000
        let dispatcher = try dispatcher(over: mock)
        for _ in 0..<60 {
            guard let _ = try? await dispatcher.download(from: .get("/file"), to: file, options: options) else {
                continue
            }
            guard isHonest, try Data(contentsOf: file) != Data(content) else { return nil }
            return
                "the file has \(try Data(contentsOf: file).count) bytes, which are not the \(content.count) of the server"
        }
        return isHonest ? "60 attempts, and not done" : nil
    }

    private static func rangeAnswer(
        to range: String?, _ content: [UInt8], isHonest: Bool, isLast: Bool, _ random: inout SeededRandom
    ) -> MockAnswer {
        let start =
            range.flatMap { $0.split(whereSeparator: { "=-".contains($0) }).dropFirst().first }.flatMap { Int($0) } ?? 0
        guard start < content.count else {
            return .status(.rangeNotSatisfiable, headers: ["Content-Range": "bytes */\(content.count)"])
        }
        let end = isLast || range == nil ? content.count : random.number(start..<content.count) + 1
        let sent = isLast ? end : random.number(start..<end + 1)
        let error: (any Error)? = sent < end ? URLError(.networkConnectionLost) : nil
        var headers: HTTPHeaders = ["ETag": "\"1\"", "Content-Length": "\(end - start)"]
        if range != nil {
            let total = random.chance(3) ? "*" : "\(content.count)"
            let text = "bytes \(start)-\(end - 1)/\(total)"
            headers["Content-Range"] =
                isHonest ? text : random.mutated(text).filter { $0.isASCII && $0 != "\r" && $0 != "\0" }
        }
        let pieces = random.cut(Array(content[start..<sent]))
        return .pieces(pieces, endingWith: error, status: range == nil ? .ok : .partialContent, headers: headers)
    }

    // MARK: Links

    static func checkLinks(_ random: inout SeededRandom) async throws -> String? {
        let others = [
            "</a>; rel=last", "<b>; rel=\"first\"; title=\"x, <y>; rel=next\"", "<c>; title=\"\\\"\"; rel=prev", "<d>",
        ]
        var links = (0..<random.number(0..<4)).map { _ in random.pick(others) }
        let hasNext = random.chance(2)
        if hasNext { links.insert("</list?page=2>; rel=\"next\"", at: random.number(0..<links.count + 1)) }
        let text = links.joined(separator: random.pick([",", ", "]))
        let found = try await hasNextPage(link: text)
        guard found == hasNext else { return "Link: \(text): the next page was \(found ? "" : "not ")found" }
        let broken = random.mutated(text).filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" && $0 != "\0" }
        _ = try await hasNextPage(link: broken)
        _ = try await hasNextPage(
            link: random.text(of: ["<", ">", ";", ",", "\"", "rel", "=", "next", "\\", " ", "/a"], count: 0..<60))
        return nil
    }

    private static func hasNextPage(link: String) async throws -> Bool {
        let mock = MockTransport()
        mock.answer(.get, "/list") { _, _ in try .json(["a"], headers: ["Link": link]) }
        let client = QueryClient()
        let service = Service(baseURL: "https://rigs.test", networking: mock, client: client)
        service.configureTransformer("/list**") { (entity: Entity<[Any]>) in entity.content as? [String] }
        defer { withExtendedLifetime(service) {} }
        return try await client.fetch(service.pages("/list", of: String.self)).hasNext
    }
}

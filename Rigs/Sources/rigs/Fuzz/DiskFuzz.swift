internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST
internal import PigeonSQLite

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Parsers of files: download marks, cache records, settings.
enum DiskFuzz {
    private static func mutated(_ bytes: Data, _ random: inout SeededRandom) -> Data {
        guard random.chance(3) else { return Data(random.mutated(String(decoding: bytes, as: UTF8.self)).utf8) }
        var bytes = Array(bytes)
        for _ in 0..<random.number(1..<5) where !bytes.isEmpty {
            let place = random.number(0..<bytes.count)
            if random.chance(3) { bytes.removeSubrange(place...) } else { bytes[place] = UInt8(random.number(0..<256)) }
        }
        return Data(bytes)
    }

    // MARK: Marks of downloads

    /// A download that finds a strange mark beside the part that was kept ends with the bytes of the server.
    static func checkMarks(_ random: inout SeededRandom) async throws -> String? {
        let content = Data(random.bytes(random.number(100..<2000)))
        let mock = MockTransport()
        let sent = random.number(1..<content.count)
        let headers: HTTPHeaders = [
            "ETag": "\"1\"", "Last-Modified": "Fri, 31 Dec 1999 23:59:59 GMT", "Content-Length": "\(content.count)",
        ]
        mock.answer(
            .get, "/file",
            with: .pieces([content.prefix(sent)], endingWith: URLError(.networkConnectionLost), headers: headers))
        let folder = try Folder()
        let file = folder.file("file")
        var options = DownloadOptions()
        options.keepsPartialFile = true
        let dispatcher = try dispatcher(over: mock)
        _ = try? await dispatcher.download(from: .get("/file"), to: file, options: options)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        guard let mark = names.first(where: { $0.hasSuffix(".json") }) else { return "no mark among \(names)" }
        let strange = mutated(try Data(contentsOf: folder.file(mark)), &random)
        try strange.write(to: folder.file(mark))
        mock.answer(.get, "/file") { request, _ in
            // As RFC 9110, 13.1.5 has it: a part only of the version that was asked for.
            guard let range = request.headers["Range"], request.headers["If-Range"] == "\"1\"",
                let start = range.split(whereSeparator: { "=-".contains($0) }).dropFirst().first.flatMap({ Int($0) }),
                start < content.count
            else { return .data(content, headers: headers) }
            return .data(
                content.suffix(from: start), status: .partialContent,
                headers: [
                    "ETag": "\"1\"", "Content-Range": "bytes \(start)-\(content.count - 1)/\(content.count)",
                ])
        }
        for _ in 0..<3 {
            guard (try? await dispatcher.download(from: .get("/file"), to: file, options: options)) != nil else {
                continue
            }
            let found = try Data(contentsOf: file)
            guard found == content, !isSabotaged else {
                return "\(Array(strange).debugText): \(found.count) bytes in place of \(content.count)"
            }
            return nil
        }
        return "\(Array(strange).debugText): three attempts, and not done"
    }

    // MARK: Records

    /// A record is what was saved; and one with a right checksum and strange bytes is a value, or none.
    static func checkRecords(_ random: inout SeededRandom) async throws -> String? {
        let folder = try Folder()
        let cache = try SQLiteQueryCache(at: folder.file("cache.sqlite"))
        if let complaint = try checkSaved(in: cache, &random) { return complaint }
        if let complaint = try checkStrangeValues(in: cache, &random) { return complaint }
        return try await checkPages(in: cache, &random)
    }

    private static func checkSaved(in cache: SQLiteQueryCache, _ random: inout SeededRandom) throws -> String? {
        let pieces = ["a", "/", ":", "4:", "-1:", "é", "\u{301}", "\0", "%", "\"", "9999999999999999999:"]
        let key = QueryKey(random.text(of: pieces, count: 0..<5), random.text(of: pieces, count: 0..<5))
        let tags = (0..<random.number(0..<4)).map { _ in random.text(of: pieces, count: 0..<5) }
        let seconds = random.pick([0, -1.5, .nan, .infinity, -.infinity, 1e300, -1e300, 7e8, .leastNonzeroMagnitude])
        let freshFor: TimeInterval? = random.pick([nil, 0, -5, .infinity, .nan, 1e300])
        let validators = FetchValidators(
            eTag: random.chance(2) ? random.text(of: pieces, count: 0..<5) : nil,
            lastModified: random.chance(2) ? random.text(of: pieces, count: 0..<5) : nil)
        let record = QueryRecord(
            data: Data(random.bytes(random.number(0..<100))), savedAt: Date(timeIntervalSinceReferenceDate: seconds),
            schema: random.number(-3..<3), isStale: random.chance(2), freshFor: freshFor, validators: validators,
            tags: tags)
        try cache.apply([.save(record, for: key)])
        guard let found = try cache.record(for: key) else { return "\(key) with \(tags) is gone" }
        let isPossible = seconds.isFinite && record.savedAt >= .distantPast && record.savedAt <= .distantFuture
        // None and an empty text are the same: neither can be sent.
        func same(_ one: String?, _ other: String?) -> Bool { (one ?? "") == (other ?? "") }
        guard found.data == record.data, found.tags == tags, found.schema == record.schema,
            found.isStale == record.isStale, same(found.validators.eTag, validators.eTag),
            same(found.validators.lastModified, validators.lastModified),
            found.freshFor == freshFor.flatMap({ $0.isNaN ? nil : $0 }),
            found.savedAt == (isPossible ? record.savedAt : .distantPast)
        else { return "\(key): \(found) in place of \(record)" }
        let problems = cache.takeProblems()
        return problems.isEmpty ? nil : "\(key): \(problems)"
    }

    private static func checkStrangeValues(in cache: SQLiteQueryCache, _ random: inout SeededRandom) throws -> String? {
        let service = Service(baseURL: "https://rigs.test/", networking: MockTransport(), client: QueryClient())
        let entities = PersistentEntityCache<[String: [Int]]>(in: cache, isolation: .sharedByAllUsers)
        guard let key = entities.key(for: service.resource("/x")) else { return "no key" }
        entities.writeEntity(
            Entity<any Sendable>(content: ["a": [1, 2]], headers: ["etag": "\"1\"", "content-type": "text/plain"]),
            forKey: key)
        cache.save(["a": [1, 2]], for: "wrapped", andTimestamp: Date())
        for key in [key, "wrapped"] {
            guard var record = try cache.record(for: key) else { return "\(key) is gone" }
            record.data = mutated(record.data, &random)
            try cache.apply([.save(record, for: key)])
            let value: [String: [Int]]? =
                key == "wrapped"
                ? cache.get(for: key) : entities.readEntity(forKey: key)?.typedContent()
            let text = Array(record.data).debugText
            // Invalid JSON yields no value.
            guard value != nil, (try? JSONSerialization.jsonObject(with: record.data)) == nil else { continue }
            return "\(key): \(text) became \(String(describing: value))"
        }
        return nil
    }

    private static func checkPages(in cache: SQLiteQueryCache, _ random: inout SeededRandom) async throws -> String? {
        let list = QueryDefinition.pages("list", first: 1) { page, _ in
            ["item \(page)", "é"]
        } next: { _, page in
            page < 4 ? page + 1 : nil
        }.persisted()
        let client = QueryClient(cache: cache)
        for _ in 0..<3 { try await client.fetchNextPage(of: list) }
        guard await client.flush().isEmpty else { return "pages were refused" }
        let found = try cache.records(under: list.key).sorted { $0.key.queryKeyValue < $1.key.queryKeyValue }
        guard let (key, saved) = found.randomElement(using: &random) else { return "no pages are kept" }
        var record = saved
        record.data = mutated(record.data, &random)
        try cache.apply([.save(record, for: key)])
        let text = "\(key): \(Array(record.data).debugText)"
        let other = QueryClient(cache: cache)
        let pages = other.value(of: list)
        guard (pages?.count ?? 0) <= 8 else { return "\(text): \(pages?.count ?? 0) pages" }
        _ = pages?.reversed().flatMap { $0 }
        _ = try await other.fetch(list)
        try await other.fetchNextPage(of: list)
        return nil
    }

    // MARK: Settings

    /// Values in `UserDefaults`: what was saved comes back, and what is spoilt is a value, or none.
    static func checkDefaults(_ random: inout SeededRandom) throws -> String? {
        let suite = "pigeon-rigs-\(ProcessInfo.processInfo.processIdentifier)"
        guard let defaults = UserDefaults(suiteName: suite) else { return "no settings" }
        defer {
            defaults.removePersistentDomain(forName: suite)
            defaults.synchronize()
        }
        let cache = UserDefaultsQueryCache(defaults: defaults, namespace: random.pick(["q", "q/r", "%", ""]))
        let key = QueryKey(random.text(of: ["a", "/", "%", "é", "%stale"], count: 1..<5)).tagged("t")
        let value = ["a": [random.number(0..<100)]]
        cache.save(value, for: key, andTimestamp: Date(timeIntervalSinceReferenceDate: 5))
        guard cache.get(for: key) == value, cache.savedAt(for: key)?.timeIntervalSinceReferenceDate == 5 else {
            return "\(key) is not what was saved"
        }
        let names = defaults.dictionaryRepresentation().filter { ($0.value as? Data) != nil }.keys.sorted()
        // As bytes: a combining mark is one character with the slash before it.
        let suffix = Array(key.queryKeyValue.utf8)[...]
        guard let name = names.first(where: { Array($0.utf8).suffix(suffix.count) == suffix }),
            let data = defaults.data(forKey: name)
        else { return "\(key) is not among \(names)" }
        let strange = mutated(data, &random)
        defaults.set(random.chance(8) ? "a text" as Any : strange, forKey: name)
        _ = cache.savedAt(for: key)
        cache.markStale(.tag("t"))
        _ = cache.isValueValid(forKey: key, timestamp: Date(), andInvalidationPolicy: .notExpires)
        let found: [String: [Int]]? = cache.get(for: key)
        if found != nil, (try? JSONSerialization.jsonObject(with: strange)) == nil {
            return "\(Array(strange).debugText) became \(String(describing: found))"
        }
        cache.removeAll()
        return cache.savedAt(for: key) == nil ? nil : "\(key) is there after all was removed"
    }
}

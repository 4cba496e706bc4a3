internal import Foundation
internal import PigeonCore
internal import PigeonFleet

/// Writes values as bytes, and reads them.
///
/// A checksum, and then numbers of eight bytes, texts with their lengths, and the encoded value, which may be compressed.
enum RedisRecord {
    private static let version: UInt64 = 3
    private static let absent = UInt64.max

    /// - Parameter size: The size in bytes above which the encoded value is compressed. `nil` for never.
    static func bytes(of value: FleetValue, receivedAt: Int64, compressingAbove size: Int? = nil) -> [UInt8] {
        var writer = Writer()
        let record = value.record
        writer.add(version)
        writer.add(UInt64(bitPattern: receivedAt))
        writer.add(value.position.epoch)
        writer.add(value.position.number)
        writer.add(UInt64(bitPattern: Int64(record.schema)))
        for time in [record.freshFor, record.staleWhileRevalidate, record.staleIfError] {
            writer.add(time.map { $0.bitPattern } ?? absent)
        }
        writer.add(record.validators.eTag)
        writer.add(record.validators.lastModified)
        writer.add(UInt64(record.tags.count))
        for tag in record.tags { writer.add(tag) }
        let compressed = size.flatMap { record.data.count > $0 ? RedisCompression.compress(record.data) : nil }
        writer.add(compressed == nil ? absent : UInt64(record.data.count))
        writer.bytes += compressed ?? record.data
        return Writer.encoded(checksum(writer.bytes[...])) + writer.bytes
    }

    /// - Parameter limit: The greatest size in bytes of a value that was compressed.
    /// - Returns: `nil` if the bytes are damaged, or those of another version, or have a schema that `Int` cannot hold.
    static func value(_ bytes: [UInt8], expandingTo limit: Int = .max) -> (FleetValue, receivedAt: Int64)? {
        var reader = Reader(rest: bytes[...])
        guard let sum = reader.number(), sum == checksum(reader.rest), let head = reader.head(),
            let storedSchema = reader.number(), let schema = Int(exactly: Int64(bitPattern: storedSchema)),
            let freshFor = reader.number(), let whileRevalidating = reader.number(), let ifError = reader.number(),
            let eTag = reader.text(), let lastModified = reader.text(), let tagCount = reader.number(),
            tagCount <= reader.rest.count
        else { return nil }
        var tags: [String] = []
        for _ in 0..<tagCount {
            guard let tag = reader.text() ?? nil else { return nil }
            tags.append(tag)
        }
        guard let size = reader.number(), let data = content(reader.rest, size, limit) else { return nil }
        func time(_ number: UInt64) -> TimeInterval? { number == absent ? nil : TimeInterval(bitPattern: number) }
        let record = QueryRecord(
            data: data, savedAt: Date(timeIntervalSince1970: 0), schema: schema, freshFor: time(freshFor),
            validators: FetchValidators(eTag: eTag, lastModified: lastModified),
            staleWhileRevalidate: time(whileRevalidating), staleIfError: time(ifError), tags: tags)
        let value = FleetValue(record: record, age: .zero, position: head.position)
        return (value, Int64(bitPattern: head.receivedAt))
    }

    /// Number of bytes at the beginning of a value that ``position(of:)`` needs at most.
    static let headSize = 256

    /// Reads from the first bytes of a value when it was requested. Damage is not noticed, because the checksum is that of
    /// all bytes.
    ///
    /// - Returns: `nil` if the bytes are those of another version, or too few.
    static func position(of bytes: [UInt8]) -> FleetPosition? {
        var reader = Reader(rest: bytes[...])
        guard reader.number() != nil else { return nil }
        return reader.head()?.position
    }

    private static func content(_ bytes: ArraySlice<UInt8>, _ size: UInt64, _ limit: Int) -> Data? {
        guard size != absent else { return Data(bytes) }
        return Int(exactly: size).flatMap { $0 <= limit ? RedisCompression.expand(Data(bytes), to: $0) : nil }
    }

    /// FNV-1a, eight bytes at a time.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            let whole = bytes.count & ~7
            for index in stride(from: 0, to: whole, by: 8) {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                hash = (hash ^ UInt64(littleEndian: word)) &* 0x100_0000_01B3
                hash ^= hash >> 32
            }
            for byte in bytes[whole...] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return hash ^ UInt64(bytes.count)
        }
    }

    private struct Writer {
        var bytes: [UInt8] = []

        static func encoded(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

        mutating func add(_ number: UInt64) { bytes += Self.encoded(number) }

        mutating func add(_ text: String?) {
            guard let text else { return add(absent) }
            add(UInt64(text.utf8.count))
            bytes += text.utf8
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        }

        /// Reads what is between the checksum and the record.
        ///
        /// - Returns: `nil` if the bytes are those of another version, or end too early.
        mutating func head() -> (receivedAt: UInt64, position: FleetPosition)? {
            guard number() == version, let receivedAt = number(), let epoch = text() ?? nil, let last = number() else {
                return nil
            }
            return (receivedAt, FleetPosition(epoch: epoch, number: last))
        }

        /// - Returns: `nil` if the bytes end too early, and `.some(nil)` for no text.
        mutating func text() -> String?? {
            guard let count = number() else { return nil }
            guard count != absent else { return .some(nil) }
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
        }
    }
}

struct RedisLogEntry {
    let epoch: String
    let news: FleetNews

    var number: UInt64 { news.number }

    init?(_ reply: RedisReply) {
        let parts = reply.elements
        guard parts.count == 2, let number = Self.number(of: reply), number > 0 else { return nil }
        var fields: [String: String] = [:]
        let texts = parts[1].elements.compactMap(\.text)
        for index in stride(from: 0, to: texts.count - 1, by: 2) { fields[texts[index]] = texts[index + 1] }
        guard let epoch = fields["e"], let member = fields["m"], let text = fields["c"],
            let change = FleetNews.Change(redisText: text)
        else { return nil }
        self.epoch = epoch
        news = FleetNews(number: number, member: member, change: change)
    }

    /// The number of an entry, also of one that cannot be read.
    static func number(of entry: RedisReply) -> UInt64? {
        entry.elements.first?.text.flatMap { UInt64($0.prefix { $0 != "-" }) }
    }
}

extension FleetNews.Change {
    /// Two letters, for the change and the kind of scope, and the key or tag.
    var redisText: String {
        let kind = if case .removed = self { "r" } else { "s" }
        return switch scope {
        case .key(let key): "\(kind)k\(key.queryKeyValue)"
        case .path(let key): "\(kind)p\(key.queryKeyValue)"
        case .tag(let tag): "\(kind)t\(tag)"
        case .all: "\(kind)a"
        }
    }

    init?(redisText text: String) {
        let rest = String(text.dropFirst(2))
        let scope: QueryRecordScope
        switch text.dropFirst().first {
        case "k": scope = .key(QueryKey(canonical: rest))
        case "p": scope = .path(QueryKey(canonical: rest))
        case "t": scope = .tag(rest)
        case "a": scope = .all
        default: return nil
        }
        switch text.first {
        case "s": self = .stale(scope)
        case "r": self = .removed(scope)
        default: return nil
        }
    }
}

extension FleetFailure {
    /// The status or nothing, whether a retry may help, and the label.
    var redisText: String { "\(statusCode.map(String.init) ?? "")|\(isTransient ? 1 : 0)|\(label)" }

    init(redisText text: String) {
        let parts = text.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
        self.init(
            label: parts.count == 3 ? String(parts[2]) : "failed", statusCode: parts.first.flatMap { Int($0) },
            isTransient: parts.count == 3 && parts[1] == "1")
    }
}

/// Makes keys of the bytes that a terminal sends, however they are split over reads.
///
/// A lone escape byte may be the key or the beginning of a sequence. Who reads waits a little when ``isWaiting`` and then
/// calls ``flush()``, which takes it for the key.
package struct KeyDecoder {
    /// The most that one paste may hold; what is beyond is dropped.
    static let longestPaste = 1 << 20

    private var pending: [UInt8] = []
    private var paste: [UInt8]?
    private var text = ""
    private var keys: [Key] = []

    package init() {}

    /// Whether bytes have come that mean nothing yet.
    package var isWaiting: Bool { !pending.isEmpty && paste == nil }

    /// Takes bytes in and returns the keys that they complete.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        decode()
        return takeKeys()
    }

    /// Takes what waits for what it is: an escape byte for the key, anything else for noise.
    package mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        if pending == [0x1b] { add(.escape) }
        pending = []
        return takeKeys()
    }

    private mutating func decode() {
        while !pending.isEmpty {
            let step = paste == nil ? KeyStep(pending) : pasteStep()
            switch step {
            case .incomplete: return
            case .key(let key, let count): add(key); drop(count)
            case .text(let scalar, let count): text.unicodeScalars.append(scalar); drop(count)
            case .pasteBegins(let count): paste = []; drop(count)
            case .noise(let count): drop(count)
            }
        }
    }

    /// Collects what is pasted up to the sequence that ends it: nothing else in it means anything.
    private mutating func pasteStep() -> KeyStep {
        let end = Array("\u{1B}[201~".utf8)
        if pending.starts(with: end) {
            let content = paste ?? []
            paste = nil
            return .key(.paste(String(decoding: content, as: UTF8.self).pasted), count: end.count)
        }
        guard !end.starts(with: pending) else { return .incomplete }
        let count = pending.dropFirst().firstIndex(of: 0x1b) ?? pending.count
        let room = Self.longestPaste - (paste?.count ?? 0)
        paste?.append(contentsOf: pending.prefix(min(count, room)))
        return .noise(count: count)
    }

    private mutating func drop(_ count: Int) {
        pending.removeFirst(min(count, pending.count))
    }

    private mutating func add(_ key: Key) {
        addText()
        keys.append(key)
    }

    private mutating func addText() {
        keys += text.map(Key.character)
        text = ""
    }

    private mutating func takeKeys() -> [Key] {
        addText()
        defer { keys = [] }
        return keys
    }
}

extension String {
    /// The text with line feeds for all line breaks, and without control characters.
    fileprivate var pasted: String {
        var text = ""
        for scalar in replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n", "\r": text.append("\n")
            case "\t": text.append("\t")
            case _ where scalar.isControl: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

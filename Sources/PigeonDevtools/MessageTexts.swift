internal import Foundation
internal import PigeonCore

// Texts that messages contain and that a recording is read from. Each is written and read here, so that both ways agree.

extension Cause {
    /// The causes as texts, from the nearest to the first.
    var chain: [String] {
        switch self {
        case .invalidated(by: let origin?): ["invalidated"] + origin.chain
        case .retry(let number, let reason, let origin): ["retry \(number) after \(reason)"] + origin.chain
        case .by(let name, let cause):
            cause.chain.enumerated().map { $0 == 0 ? "\($1) by \(name)" : $1 }
        default: [description]
        }
    }

    /// Reads a ``chain``, without the errors that were retried. An unknown text counts as ``requested``.
    ///
    /// - Parameter chain: The texts. A damaged file may have any number of them, of which the first 16 count.
    init(chain: [String]) {
        self.init(chain: chain.prefix(16), depth: 0)
    }

    private init(chain: ArraySlice<String>, depth: Int) {
        guard let text = chain.first, depth < 32 else {
            self = .requested
            return
        }
        let rest = chain.dropFirst()
        // First, because a key may contain any text.
        if let cause = Cause(newerItem: text) {
            self = cause
        } else if let name = text.range(of: " by ", options: .backwards) {
            let cause = Cause(chain: [String(text[..<name.lowerBound])] + rest, depth: depth + 1)
            self = .by(String(text[name.upperBound...]), cause)
        } else if text.hasPrefix("mutation ") {
            self = .mutation(String(text.dropFirst(9)))
        } else if text.hasPrefix("retry "), let number = Int(text.dropFirst(6).prefix { $0 != " " }) {
            self = .retry(number, after: "", of: Cause(chain: rest, depth: depth + 1))
        } else if text == "invalidated", !rest.isEmpty {
            self = .invalidated(by: Cause(chain: rest, depth: depth + 1))
        } else {
            self = Self.plain[text] ?? .requested
        }
    }

    /// Reads the text of a newer item. The text of a key that ends as with the number of a page is read as a page.
    private init?(newerItem text: String) {
        let start = "newer item in "
        guard text.hasPrefix(start) else { return nil }
        let place = text.dropFirst(start.count)
        guard let comma = place.range(of: ", page ", options: .backwards),
            let number = Int64(place[comma.upperBound...]), let page = Int(exactly: number), page > 0
        else {
            self = .newerItem(in: QueryKey(canonical: String(place)), page: nil)
            return
        }
        self = .newerItem(in: QueryKey(canonical: String(place[..<comma.lowerBound])), page: page)
    }

    /// The causes without associated values, by their texts.
    private static let plain: [String: Cause] = Dictionary(
        [
            .observed, .requested, .prefetched, .invalidated(by: nil), .poll, .foreground, .reconnect, .nextPage,
            .previousPage, .written, .sourceChanged, .cached, .otherProcess, .abandoned, .superseded, .aged, .unused,
            .budget, .memoryPressure, .cleared, .closed, .timeLimit,
        ].map { ($0.description, $0) }, uniquingKeysWith: { first, _ in first })
}

extension FetchFault {
    /// The name of the fault in messages to and from browsers.
    var name: String {
        switch self {
        case .failure: "fail"
        case .hang: "hang"
        case .delay: "slow"
        }
    }

    /// Finds the fault with a name. `nil` if there is none.
    ///
    /// - Parameter delay: The delay of a slow fetch, which its name does not contain. With `nil`, such a fetch has no fault.
    init?(named name: String?, delay: Duration?) {
        switch name {
        case "fail": self = .failure
        case "hang": self = .hang
        case "slow":
            guard let delay else { return nil }
            self = .delay(delay)
        default: return nil
        }
    }
}

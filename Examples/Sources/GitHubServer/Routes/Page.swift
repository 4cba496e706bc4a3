import DemoHTTP
import NIOHTTP1

/// The part of a list that a request asks for with `page` and `per_page`, 30 at a time and 100 at most.
struct Page<Record> {
    let records: [Record]
    let headers: HTTPHeaders

    init(of all: [Record], request: Request, resource: String) throws(Refusal) {
        let page = try request.positive("page", of: resource) ?? 1
        let size = min(try request.positive("per_page", of: resource) ?? 30, 100)
        records = Array(all.dropFirst((page - 1) * size).prefix(size))
        let last = max((all.count + size - 1) / size, 1)
        var links: [(name: String, page: Int)] = []
        if page > 1 { links.append(("prev", min(page - 1, last))) }
        if page < last { links += [("next", page + 1), ("last", last)] }
        if page > 1 { links.append(("first", 1)) }
        let texts = links.map { "<\(request.address(with: "page", $0.page))>; rel=\"\($0.name)\"" }
        headers = texts.isEmpty ? [:] : ["Link": texts.joined(separator: ", ")]
    }
}

extension Request {
    /// Returns the first value of a name as a number from 1 to a million; a larger one counts as a million.
    func positive(_ name: String, of resource: String) throws(Refusal) -> Int? {
        guard let text = values(of: name).first else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw .invalid(name, of: resource)
        }
        // Digits that make no number are too many of them.
        let value = min(Int(text) ?? .max, 1_000_000)
        guard value > 0 else { throw .invalid(name, of: resource) }
        return value
    }
}

import DemoHTTP
import NIOHTTP1

/// The part of a list that a query asks for, by page or by offset, with the headers that json-server gives.
struct Slice<Record> {
    let records: [Record]
    let headers: HTTPHeaders

    init(of all: [Record], request: Request) {
        let limit = request.number(of: "_limit")
        if !request.values(of: "_page").isEmpty {
            let page = max(request.number(of: "_page") ?? 1, 1)
            let size = limit.flatMap { $0 > 0 ? $0 : nil } ?? 10
            self.init(of: all, page: page, size: size, request: request)
        } else if limit != nil || request.number(of: "_start") != nil {
            let start = request.number(of: "_start") ?? 0
            self.init(records: Array(all.dropFirst(start).prefix(limit ?? all.count)), headers: Self.counted(all))
        } else {
            self.init(records: all, headers: [:])
        }
    }

    private init(records: [Record], headers: HTTPHeaders) {
        self.records = records
        self.headers = headers
    }

    private init(of all: [Record], page: Int, size: Int, request: Request) {
        let records = Array(all.dropFirst((page - 1) * size).prefix(size))
        let last = (all.count + size - 1) / size
        var links: [(String, Int)] = []
        if !records.isEmpty, records.count < all.count {
            links.append(("first", 1))
            if page > 1 { links.append(("prev", page - 1)) }
            if page < last { links.append(("next", page + 1)) }
            links.append(("last", last))
        }
        var headers = Self.counted(all)
        if !links.isEmpty {
            let texts = links.map { "<\(request.address(with: "_page", $1))>; rel=\"\($0)\"" }
            headers.add(name: "Link", value: texts.joined(separator: ", "))
        }
        self.init(records: records, headers: headers)
    }

    private static func counted(_ all: [Record]) -> HTTPHeaders {
        ["X-Total-Count": String(all.count)]
    }
}

/// Holds the requests that a demo server was asked, in the order of their arrival.
public struct RequestLog: Sendable {
    /// The newest requests, at least the last 10,000, oldest first.
    public private(set) var records: [RequestRecord] = []
    /// How many requests arrived, those that ``records`` no longer holds included.
    public private(set) var count = 0
    /// How many requests were answered, with whatever status.
    public private(set) var answered = 0
    /// How many answers were `304 Not Modified`.
    public private(set) var notModified = 0
    /// How many answers had a status of 400 or more.
    public private(set) var failed = 0

    /// The number of the oldest record held: numbers go on through a reset, so that a late answer finds no wrong record.
    private var firstNumber = 0

    package init() {}

    /// Returns how many of the held requests have this method, if one is given, and a path that is or lies below `path`.
    public func count(method: String? = nil, path: String) -> Int {
        let wanted = path.pathSegments
        return records.count { record in
            guard method == nil || method == record.method else { return false }
            return record.target.prefix { $0 != "?" }.pathSegments.starts(with: wanted)
        }
    }

    package mutating func append(_ record: RequestRecord) -> Int {
        records.append(record)
        count += 1
        // Twice the limit, so that dropping the oldest costs a constant time per request.
        if records.count >= 2 * Limits.keptRecords {
            records.removeFirst(Limits.keptRecords)
            firstNumber += Limits.keptRecords
        }
        return firstNumber + records.count - 1
    }

    package mutating func answer(_ number: Int, status: Int) {
        let index = number - firstNumber
        guard records.indices.contains(index) else { return }
        records[index].status = status
        answered += 1
        if status == 304 { notModified += 1 }
        if status >= 400 { failed += 1 }
    }

    /// Marks a request whose client closed its connection before it was answered.
    package mutating func abandon(_ number: Int) {
        let index = number - firstNumber
        guard records.indices.contains(index) else { return }
        records[index].isAbandoned = true
    }

    package mutating func reset() {
        firstNumber += records.count
        records = []
        (count, answered, notModified, failed) = (0, 0, 0, 0)
    }
}

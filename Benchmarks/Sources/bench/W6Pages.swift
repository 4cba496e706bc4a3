internal import PigeonCore

/// W6: 200, 800 and 2,000 pages of 50 items.
func measurePages(_ recorder: Recorder) async throws {
    var times: [Int: Double] = [:]
    for (count, target) in [(200, 2.0), (800, nil), (2000, nil)] {
        let time = try await recorder.median { try await load(count) }
        times[count] = time
        let floor = try await recorder.median { try await append(count) }
        recorder.record(
            "W6.pages\(count)", "load \(count) pages of 50 items, one after the other", .milliseconds, time / 1e6,
            floor: floor / 1e6, target: target)
    }
    guard let few = times[200], let many = times[2000] else { return }
    recorder.record("W6.growth", "2,000 pages beside 200", .times, many / few, floor: 10, target: 12)
}

private func load(_ count: Int) async throws -> Double {
    let client = QueryClient()
    let time = try await nanoseconds {
        for _ in 0..<count { use(try await client.fetchNextPage(of: endless("w6")).count) }
    }
    precondition(client.value(of: endless("w6"))?.count == count)
    return time
}

private func append(_ count: Int) async throws -> Double {
    var pages: [[Int]] = []
    let time = try await nanoseconds {
        for number in 0..<count { pages.append(page(try await answer(number))) }
    }
    use(pages)
    return time
}

private func page(_ number: Int) -> [Int] { Array(number * 50..<number * 50 + 50) }

/// One request inside the server, from its arrival to its answer, with what was decided when it arrived.
struct Visit {
    let request: Request
    let latency: Duration
    let fault: Faults.Effect?
    /// The number of its record; `nil` where requests are not counted.
    let number: Int?

    var isControl: Bool { number == nil }
}

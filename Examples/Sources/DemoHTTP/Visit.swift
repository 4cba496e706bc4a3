/// One request inside the server, from its arrival to its answer, with what was decided when it arrived.
package struct Visit: Sendable {
    package let request: Request
    /// Holds the answer back until it is opened.
    package let gate: Gate?
    /// The time that the answer waits, after the gate where there is one.
    package let latency: Duration
    package let fault: Faults.Effect?
    /// The number of its record; `nil` where requests are not counted.
    package let number: Int?

    package init(
        request: Request, gate: Gate? = nil, latency: Duration = .zero, fault: Faults.Effect? = nil, number: Int? = nil
    ) {
        self.request = request
        self.gate = gate
        self.latency = latency
        self.fault = fault
        self.number = number
    }
}

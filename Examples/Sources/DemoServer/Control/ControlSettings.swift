import DemoHTTP

/// The JSON of `/_control`. A key that is left out has its default, so that `{}` puts all right.
struct ControlSettings: Codable {
    var latencyMS = 0
    var failing: [String] = []
    var status = 503
    var retryAfter: Int?
    var times: Int?
    var reset = false
    var lostAnswer = false
    var offline = false

    init(latency: Duration, faults: Faults) {
        latencyMS = Int(latency / .milliseconds(1))
        failing = faults.paths
        times = faults.remaining
        offline = faults.isOffline
        switch faults.effect {
        case .reset: reset = true
        case .lostAnswer: lostAnswer = true
        case .status(let code, let seconds): (status, retryAfter) = (code, seconds)
        }
    }

    init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: CodingKeys.self)
        latencyMS = try json.decodeIfPresent(Int.self, forKey: .latencyMS) ?? latencyMS
        failing = try json.decodeIfPresent([String].self, forKey: .failing) ?? failing
        status = try json.decodeIfPresent(Int.self, forKey: .status) ?? status
        retryAfter = try json.decodeIfPresent(Int.self, forKey: .retryAfter)
        times = try json.decodeIfPresent(Int.self, forKey: .times)
        reset = try json.decodeIfPresent(Bool.self, forKey: .reset) ?? reset
        lostAnswer = try json.decodeIfPresent(Bool.self, forKey: .lostAnswer) ?? lostAnswer
        offline = try json.decodeIfPresent(Bool.self, forKey: .offline) ?? offline
    }

    var latency: Duration { .milliseconds(latencyMS) }

    var faults: Faults {
        let effect: Faults.Effect =
            if reset { .reset } else if lostAnswer { .lostAnswer } else { .status(status, retryAfter: retryAfter) }
        return Faults(paths: failing, effect: effect, remaining: times, isOffline: offline)
    }

    /// Refuses values that the server could not keep to.
    func validate() throws(Refusal) {
        let longest = Int(Limits.longestLatency / .milliseconds(1))
        guard (0...longest).contains(latencyMS) else { throw .badRequest("latencyMS must be 0 to \(longest)") }
        guard (400...599).contains(status) else { throw .badRequest("status must be 400 to 599") }
        guard retryAfter ?? 0 >= 0 else { throw .badRequest("retryAfter must be 0 or more seconds") }
        guard times ?? 0 >= 0 else { throw .badRequest("times must be 0 or more") }
    }
}

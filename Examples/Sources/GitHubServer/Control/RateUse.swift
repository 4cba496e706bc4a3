import Foundation
import NIOHTTP1

/// Counts the requests of one client within the current window.
struct RateUse {
    private var used = 0
    private var reset = Date.distantPast

    /// Counts a request. Returns whether the limit allows it.
    mutating func take(limit: Int, window: Duration, now: Date) -> Bool {
        if now >= reset {
            used = 0
            reset = now.addingTimeInterval(window / .seconds(1))
        }
        guard used < limit else { return false }
        used += 1
        return true
    }

    /// Takes a request back that does not count after all.
    mutating func refund() {
        used = max(used - 1, 0)
    }

    func headers(limit: Int) -> HTTPHeaders {
        [
            "X-RateLimit-Limit": String(limit), "X-RateLimit-Remaining": String(max(limit - used, 0)),
            "X-RateLimit-Reset": String(Int(reset.timeIntervalSince1970.rounded(.up))),
            "X-RateLimit-Used": String(used), "X-RateLimit-Resource": "core",
        ]
    }
}

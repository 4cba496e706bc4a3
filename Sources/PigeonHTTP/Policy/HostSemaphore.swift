internal import Foundation

/// Limits the number of requests in flight to each host. Permits are given in the order in which they were asked for.
final class HostSemaphore: Sendable {
    private struct Host {
        var inFlight = 0
        var waiters: [SharedOneShot<Void>] = []
    }

    private let limit: Int
    private let hosts = Locked<[String: Host]>([:])

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The right to have one request in flight. It returns to the semaphore when it is released.
    final class Permit: Sendable {
        private let semaphore: HostSemaphore
        private let host: String

        fileprivate init(from semaphore: HostSemaphore, for host: String) {
            self.semaphore = semaphore
            self.host = host
        }

        deinit { semaphore.release(host) }
    }

    /// - Throws: `CancellationError` if the task is cancelled first.
    func acquire(for url: URL) async throws -> Permit {
        let host = url.origin
        let waiter = SharedOneShot<Void>()
        let mustWait = hosts.withLock { hosts in
            guard hosts[host, default: Host()].inFlight >= limit else {
                hosts[host, default: Host()].inFlight += 1
                return false
            }
            hosts[host]?.waiters.append(waiter)
            return true
        }
        guard mustWait else { return Permit(from: self, for: host) }
        do {
            try await waiter.value(onCancel: .resolves)
        } catch {
            hosts.withLock { hosts in hosts[host]?.waiters.removeAll { $0 === waiter } }
            throw error
        }
        return Permit(from: self, for: host)
    }

    private func release(_ host: String) {
        while let next = nextWaiter(for: host) {
            // A waiter that was cancelled in the meantime does not take the permit, so the next one gets it.
            if next.resolve(.success(())) { return }
        }
    }

    /// Removes the first waiter of a host. Without any, one less request is in flight.
    private func nextWaiter(for host: String) -> SharedOneShot<Void>? {
        hosts.withLock { hosts in
            guard let state = hosts[host] else { return nil }
            guard state.waiters.isEmpty else { return hosts[host]?.waiters.removeFirst() }
            if state.inFlight > 1 { hosts[host]?.inFlight -= 1 } else { hosts[host] = nil }
            return nil
        }
    }
}

extension URL {
    /// Scheme, host and port: the scope of credentials (RFC 6454, 4).
    var origin: String {
        let scheme = (scheme ?? "").lowercased()
        let port = port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\((host(percentEncoded: true) ?? "").lowercased()):\(port)"
    }
}

/// A step of a simulation. All steps are generated before the run, so a run can be repeated without some of them.
///
/// Keys are chosen by name. Everything else (an open call, an observer, a waiting caller) is chosen by a number, modulo
/// the number of candidates. A step without candidates does nothing. Every part of a script is a valid script.
package indirect enum SimulatedAction: Codable, Hashable, Sendable {
    // The program.
    case observe(String, isEnabled: Bool)
    case unobserve(Int)
    case enable(Int, Bool)
    case switchKey(Int, String)
    case iterate(Int)
    case fetch(String, SimulatedFetch)
    case cancelWait(Int)
    case cancel(SimulatedFilter)
    case set(String, keeps: Bool)
    case update(String, keeps: Bool)
    case read(String)
    case invalidate(SimulatedFilter, SimulatedScope)
    case mutate(String, SimulatedEditStyle)
    case nextPage(String)
    case previousPage(String)
    case allPages(String)
    case restartList(String)
    case keepFirstPage(String)
    case reset(SimulatedFilter)
    case remove(SimulatedFilter)
    case clear
    case flush
    case changeSource(String)
    case emptySource(String)

    // The server and the network.
    case change(String, Int)
    case receive(Int)
    case duplicate(Int)
    case answer(Int)
    case fail(Int, SimulatedFailure)
    case yield(Int)

    // The machine.
    case wait(Int)
    case network(Bool)
    case foreground(Bool)
    case memoryPressure
    case disk(fails: Bool)
    case slowDisk(Int)
    case tearRecord(Int)
    case flipBit(Int, bit: Int)
    case restart(flushes: Bool, clock: Int, losesBatch: Bool)
    case changeSourceOutside(String)
    case holdSource(String)
    case releaseSource(String)
    case failSource(String)

    /// Performs an action within the next call of user code of a kind.
    case interrupt(SimulatedMoment, SimulatedAction)
}

package enum SimulatedFetch: String, Codable, CaseIterable, Sendable {
    case fetch, refetch, ensure, prefetch, beside
}

package enum SimulatedFilter: Codable, Hashable, Sendable {
    case key(String)
    case path(String)
    case tag(String)
    case all
    case stale
}

package enum SimulatedScope: String, Codable, CaseIterable, Sendable {
    case active, all, none, inactive
}

package enum SimulatedFailure: Codable, Hashable, Sendable {
    /// The server answers with 503.
    case unavailable
    /// The server answers with 400. A retry does not help.
    case refused
    /// The server answers with 429, and a Retry-After in seconds.
    case busy(Int)
    /// The server handles the request, but the answer is lost.
    case lost
}

/// A kind of user code that the engine calls.
package enum SimulatedMoment: String, Codable, CaseIterable, Sendable {
    case fetcher, observer, event, edit, recordRead, recordWrite
}

extension SimulatedAction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .observe(let key, true): "observe(\"\(key)\")"
        case .observe(let key, false): "observe(\"\(key)\", enabled: false)"
        case .unobserve(let index): "observers[\(index)].cancel()"
        case .enable(let index, let isEnabled): "observers[\(index)].setEnabled(\(isEnabled))"
        case .switchKey(let index, let key): "observers[\(index)].observe(\"\(key)\")"
        case .iterate(let index): "for await _ in observers[\(index)]"
        case .fetch(let key, let how): "\(how)(\"\(key)\")"
        case .cancelWait(let index): "callers[\(index)].cancel()"
        case .cancel(let filter): "cancel(\(filter))"
        case .set(let key, let keeps): "set(\"\(key)\"\(keeps ? ", during: .keep" : ""))"
        case .update(let key, let keeps): "update(\"\(key)\"\(keeps ? ", during: .keep" : ""))"
        case .read(let key): "value(of: \"\(key)\")"
        case .invalidate(let filter, let scope): "invalidate(\(filter), refetch: .\(scope))"
        case .mutate(let key, let style): "mutate(\"\(key)\"\(style))"
        case .nextPage(let key): "fetchNextPage(of: \"\(key)\")"
        case .previousPage(let key): "fetchPreviousPage(of: \"\(key)\")"
        case .allPages(let key): "while hasNext { fetchNextPage(of: \"\(key)\") }"
        case .restartList(let key): "restart(\"\(key)\")"
        case .keepFirstPage(let key): "set(\"\(key)\", to: its first page)"
        case .reset(let filter): "reset(\(filter))"
        case .remove(let filter): "remove(\(filter))"
        case .clear: "clear()"
        case .flush: "flush()"
        case .changeSource(let key): "change(\"\(key)\")"
        case .emptySource(let key): "clear(\"\(key)\")"
        default: machineDescription
        }
    }

    private var machineDescription: String {
        switch self {
        case .change(let key, let choice): "server.change(\"\(key)\", \(choice))"
        case .receive(let index): "server.receive(call: \(index))"
        case .duplicate(let index): "network.duplicate(call: \(index))"
        case .answer(let index): "server.answer(call: \(index))"
        case .fail(let index, let failure): "server.fail(call: \(index), .\(failure))"
        case .yield(let index): "server.yield(call: \(index))"
        case .wait(let seconds): "clock.advance(by: .seconds(\(seconds)))"
        case .network(let isOn): "network.set(\(isOn))"
        case .foreground(let isOn): "foreground.set(\(isOn))"
        case .memoryPressure: "memoryPressure.set(true)"
        case .disk(let fails): "disk.fails = \(fails)"
        case .slowDisk(let seconds): "disk.delay = .seconds(\(seconds))"
        case .flipBit(let index, let bit): "disk.flip(bit: \(bit), ofRecord: \(index))"
        case .tearRecord(let index): "disk.tear(record: \(index))"
        case .restart(let flushes, let clock, let losesBatch):
            "restart(\(flushes ? "after flush" : "crash"), clock: \(clock)\(losesBatch ? ", without the last batch" : ""))"
        case .changeSourceOutside(let key): "source(\"\(key)\").changeOutside()"
        case .holdSource(let key): "source(\"\(key)\").hold()"
        case .releaseSource(let key): "source(\"\(key)\").release()"
        case .failSource(let key): "source(\"\(key)\").failNext()"
        case .interrupt(let moment, let action): "next(.\(moment)) { \(action) }"
        default: ""
        }
    }

    package var kind: String {
        switch self {
        case .interrupt: "interrupt"
        case .fetch(_, let how): how.rawValue
        case .clear: "clear"
        case .flush: "flush"
        case .memoryPressure: "memoryPressure"
        default: Mirror(reflecting: self).children.first?.label ?? ""
        }
    }
}

extension SimulatedFilter: CustomStringConvertible {
    package var description: String {
        switch self {
        case .key(let key): ".key(\"\(key)\")"
        case .path(let path): ".path(\"\(path)\")"
        case .tag(let tag): ".tag(\"\(tag)\")"
        case .all: ".all"
        case .stale: ".all.and(.stale)"
        }
    }
}

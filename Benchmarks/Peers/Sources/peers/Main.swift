internal import Foundation

/// Measures Pigeon beside other libraries, and prints a Markdown table.
@main
struct Peers {
    static func main() async throws {
        let table = try await measure()
        print(table)
        let missing = absent
        guard !missing.isEmpty else { return }
        print("\nNot measured, because no checkout was given:")
        for peer in missing { print("  \(peer.variable)=<path of a checkout of \(peer.address)>") }
        print("Set the variable for the command that builds this program. Benchmarks/README.md has an example.")
    }

    private static let workloads: [(name: String, run: @Sendable (any Peer) async throws -> Double?)] = [
        ("read by key, ns", { try await $0.read() }),
        ("create and fetch, ns", { try await $0.create() }),
        ("fetch a fresh value, ns", { try await $0.fetch() }),
        ("notify one of \(Size.observers) observers, ns", { try await $0.notify() }),
        ("mutation, ns", { try await $0.mutate() }),
    ]

    /// Off the main actor. The libraries take turns, so that what else the machine does meets all of them.
    @concurrent
    private static func measure() async throws -> String {
        var rows: [String] = []
        for workload in workloads {
            var times = [[Double]](repeating: [], count: peers.count)
            for round in 0...5 {
                for (index, peer) in peers.enumerated() {
                    let time = try await workload.run(peer)
                    if round > 0, let time { times[index].append(time) }
                }
            }
            let cells = times.map { $0.isEmpty ? "–" : String(Int($0.sorted()[$0.count / 2].rounded())) }
            rows.append("| \(workload.name) | \(cells.joined(separator: " | ")) |")
        }
        let names = peers.map(\.name).joined(separator: " | ")
        let line = peers.map { _ in "---:" }.joined(separator: "|")
        return "| | \(names) |\n|---|\(line)|\n" + rows.joined(separator: "\n")
    }

    private static var peers: [any Peer] {
        var peers: [any Peer] = [PigeonPeer(), GRDBPeer()]
        #if canImport(Operation)
            peers.append(SwiftOperationPeer())
        #endif
        #if canImport(Cache)
            peers.append(CachePeer())
        #endif
        return peers
    }

    private static var absent: [(variable: String, address: String)] {
        var absent: [(String, String)] = []
        #if !canImport(Operation)
            absent.append(("PIGEON_PEER_SWIFT_OPERATION", "mhayes853/swift-operation"))
        #endif
        #if !canImport(Cache)
            absent.append(("PIGEON_PEER_CACHE", "hyperoslo/Cache"))
        #endif
        return absent
    }
}

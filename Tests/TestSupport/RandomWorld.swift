internal import Foundation
internal import Testing

/// A world in which a seed decides what happens.
package protocol RandomWorld {
    init(seed: UInt64)
    func run(steps: Int)

    /// Everything that happened.
    var log: [String] { get }
    /// The first rule that was broken. `nil` if none was.
    var problem: String? { get }
}

extension RandomWorld {
    /// Runs worlds of different seeds until one has a problem, and records it. `PIGEON_SEEDS` runs more of them.
    ///
    /// - Parameter part: Number of the worlds to run, counted in parts of the same size.
    package static func run(part: Int, steps: Int) {
        let seeds = ProcessInfo.processInfo.environment["PIGEON_SEEDS"].flatMap(Int.init) ?? 60
        for seed in part * seeds..<(part + 1) * seeds {
            let world = Self(seed: UInt64(seed))
            world.run(steps: steps)
            if let problem = world.problem {
                Issue.record("seed \(seed): \(problem)\n\(world.log.joined(separator: "\n"))")
                return
            }
        }
    }
}

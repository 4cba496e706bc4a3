internal import Foundation
internal import Testing

/// A world in which a seed decides what happens.
package protocol RandomWorld: AnyObject {
    init(seed: UInt64)

    /// Lets one random thing happen.
    func step()
    /// Checks the rules that hold after each step.
    func check()
    /// Repairs what is broken, and checks what is true in the end.
    func finish()

    /// Everything that happened.
    var log: [String] { get set }
    /// The first rule that was broken. `nil` if none was.
    var problem: String? { get set }
}

/// The number of seeds with which a test runs. `PIGEON_SEEDS` sets a larger number, or a smaller one under a sanitizer.
package func seedCount(default count: Int = 60) -> Int {
    ProcessInfo.processInfo.environment["PIGEON_SEEDS"].flatMap(Int.init) ?? count
}

extension RandomWorld {
    /// Runs worlds of different seeds until one has a problem, and records it. `PIGEON_SEEDS` runs more of them.
    ///
    /// - Parameter part: Number of the worlds to run, counted in parts of the same size.
    package static func run(part: Int, steps: Int) {
        let seeds = seedCount()
        for seed in part * seeds..<(part + 1) * seeds {
            let world = Self(seed: UInt64(seed))
            for _ in 0..<steps where world.problem == nil {
                world.step()
                world.check()
            }
            if world.problem == nil { world.finish() }
            if let problem = world.problem {
                Issue.record("seed \(seed): \(problem)\n\(world.log.joined(separator: "\n"))")
                return
            }
        }
    }

    package func note(_ text: String) { log.append(text) }

    /// Records a rule that was broken, unless another one was before.
    package func found(_ text: String) {
        if problem == nil { problem = text }
    }
}

import PigeonTesting

extension ItemWorld {
    /// A step. Places, requests and observers are chosen by a number, modulo how many there are, so each part of a script is a
    /// script. A step that finds nothing to do does nothing.
    enum Action: Sendable {
        // The program.
        case observe(Int)
        case unobserve(Int)
        case fetch(Int)
        case nextPage
        case like(Int, writes: Writes, invalidates: Bool)
        case likeLater(Int)
        case hide(Int)
        case add
        /// The program learns of the newest user, and edits it by item.
        case push(Int)
        /// The program learns of the newest user, and edits it in one place, by its key.
        case replace(Int, in: Int)
        case mark(Int, fetchWins: Bool)
        /// A user is removed elsewhere, or added.
        case leave(Int)
        case join
        case invalidate(Int)
        case invalidateUser(Int)
        case evict(Int)
        case signOut

        // The server and the network.
        case change(Int)
        case changePost(Int)
        /// The server makes the change that was requested, and does not answer yet.
        case handle(Int)
        case answer(Int)
        case fail(Int)
        /// The server makes the change, and its answer is lost.
        case lose(Int)
        case refuse(Int)
        case network(Bool)

        // The machine.
        case wait(Int)
        case restart(flushes: Bool)
    }

    /// The actions of a seed.
    static func script(seed: UInt64, steps: Int) -> [Action] {
        let random = SeededRandom(seed: seed)
        // A third of all programs neither end nor sign out, so that they reach states that take long.
        let isLong = seed % 3 == 0
        return (0..<steps).map { _ in action(random, isLong: isLong) }
    }

    private static func action(_ random: SeededRandom, isLong: Bool) -> Action {
        // A user of whom there are details and posts, and one that may be removed.
        let (user, other) = (1 + random.below(3), 4 + random.below(2))
        let index = random.once(in: 2) ? 0 : random.below(20)
        switch random.below(100) {
        case 0..<14: return .observe(random.below(7))
        case 14..<18: return .unobserve(random.below(20))
        case 18..<28: return .fetch(random.below(7))
        case 28..<31: return .nextPage
        case 31..<51: return .answer(index)
        case 51..<54: return .fail(index)
        case 54..<56: return .lose(index)
        case 56: return .refuse(index)
        case 57..<60: return .handle(index)
        case 60..<68: return .change(user)
        case 68..<70: return .changePost(1 + random.below(3))
        case 70..<75: return like(random, user)
        case 75..<78: return .likeLater(user)
        case 78: return .hide(other)
        case 79: return .add
        case 80..<82: return .push(user)
        case 82..<84: return .replace(user, in: random.below(7))
        case 84..<86: return .mark(user, fetchWins: random.once(in: 3))
        case 86: return random.once(in: 2) ? .leave(other) : .join
        case 87: return .invalidate(random.below(7))
        case 88: return .invalidateUser(user)
        case 89..<91: return .evict(random.below(7))
        case 91..<95: return .wait([1, 6, 31, 100][random.below(4)])
        case 95..<97: return .network(random.once(in: 2))
        case 97: return isLong ? .answer(0) : .restart(flushes: random.once(in: 2))
        case 98: return isLong ? .answer(0) : .signOut
        default: return .answer(index)
        }
    }

    private static func like(_ random: SeededRandom, _ user: Int) -> Action {
        // There is no detail of the third user to write to.
        let choices: [Writes] = user == 3 ? [.nothing, .update] : [.nothing, .update, .set]
        return .like(user, writes: choices[random.below(choices.count)], invalidates: random.once(in: 4))
    }
}

// MARK: Runs

extension ItemWorld {
    struct Failure: CustomStringConvertible {
        let step: Int
        let problem: Problem
        let actions: [Action]
        let log: [String]

        var description: String {
            let script = actions.map { "\($0)" }.joined(separator: "\n  ")
            return """
                step \(step): \(problem.rule): \(problem.text)
                after these actions alone:
                  \(script)
                which led to:
                  \(log.suffix(120).joined(separator: "\n  "))
                """
        }
    }

    /// Runs the actions of a seed. If they break a rule, looks for few of them that break it.
    static func failure(seed: UInt64, steps: Int) -> Failure? {
        let actions = script(seed: seed, steps: steps)
        guard let found = play(actions, seed: seed) else { return nil }
        let rule = found.problem.rule
        let few = shortest(Array(actions.prefix(found.step + 1))) { play($0, seed: seed)?.problem.rule == rule }
        guard let last = play(few, seed: seed, isLogged: true) else { return found }
        return Failure(step: found.step, problem: last.problem, actions: few, log: last.log)
    }

    /// Returns the first rule that actions break.
    static func play(_ actions: [Action], seed: UInt64 = 1, isLogged: Bool = false) -> Failure? {
        let world = ItemWorld(seed: seed)
        defer { world.close() }
        if isLogged { world.log = [] }
        for (step, action) in actions.enumerated() {
            world.perform(action)
            if let problem = world.problem {
                return Failure(step: step, problem: problem, actions: actions, log: world.log ?? [])
            }
        }
        world.finish()
        return world.problem.map { Failure(step: actions.count, problem: $0, actions: actions, log: world.log ?? []) }
    }

    /// Leaves out smaller and smaller parts of a script, as long as it breaks the rule.
    private static func shortest(_ actions: [Action], breaks: ([Action]) -> Bool) -> [Action] {
        var best = actions
        var runs = 0
        var size = max(1, best.count / 2)
        while runs < 1_000 {
            var isShorter = false
            var start = 0
            while start < best.count, runs < 1_000 {
                var candidate = best
                candidate.removeSubrange(start..<min(start + size, best.count))
                runs += 1
                if breaks(candidate) {
                    (best, isShorter) = (candidate, true)
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        return best
    }
}

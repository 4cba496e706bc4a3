internal import ArgumentParser
internal import Foundation

/// Gives random and mutated texts to everything that reads what comes from outside.
struct Fuzz: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Feeds nonsense to every parser: none traps, none is slow, and each agrees with a second reading.")

    @OptionGroup var options: RigOptions

    private static let casesPerChild = 600

    @concurrent
    static func attack(_ trial: Trial) async throws {
        let folder = try Folder()
        var first = 0
        while !trial.isOver {
            let child = try Child(
                ["fuzz-cases", "--seed", "\(trial.seed)", "--first", "\(first)", "--count", "\(casesPerChild)"],
                in: folder.url)
            let ending = await child.wait(upTo: .seconds(300))
            trial.absorb(child.lines)
            let last = child.lines.last { $0.hasPrefix("case") } ?? "no case"
            if ending != .exit(0) { trial.violate("\(last): the process ended by \(ending): \(child.complaint)") }
            first += casesPerChild
        }
    }
}

/// Some cases, in a process of their own: a trap is told by its end.
struct FuzzCases: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var seed: UInt64
    @Option var first: Int
    @Option var count: Int

    /// The longest time that a processor may work on one case. All inputs are short.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        try await Self.run(seed: seed, numbers: first..<(first + count))
    }

    @concurrent
    private static func run(seed: UInt64, numbers: Range<Int>) async throws {
        let trial = Trial(name: "fuzz", options: try RigOptions.parse(["--seed", "\(seed)"]))
        for number in numbers {
            let subjects = FuzzSubject.allCases
            let subject = subjects[number % subjects.count]
            say("case \(number) (\(subject))")
            var random = SeededRandom(seed, number)
            let start = ProcessFigures.processorTime
            do {
                let complaint = try await subject.check(&random)
                if let complaint { trial.violate("case \(number) (\(subject)): \(complaint)") }
            } catch {
                trial.violate("case \(number) (\(subject)): \(error)")
            }
            let time = ProcessFigures.processorTime - start
            if time > patience { trial.violate("case \(number) (\(subject)): took \(time)") }
            trial.count("\(subject)")
        }
        trial.report()
    }
}

/// A parser, and how it is checked.
enum FuzzSubject: String, CaseIterable {
    case events, dates, caching, retryAfter, ranges, links, keys, paths, globs, charsets, timestamps
    case quoting, addresses, lengths
    case redirects, references, contents, marks, records, defaults

    /// Gives the parser one input.
    ///
    /// - Returns: What was wrong. `nil` if nothing was.
    func check(_ random: inout SeededRandom) async throws -> String? {
        switch self {
        case .events: try await EventFuzz.check(&random)
        case .dates: try HeaderFuzz.checkDates(&random)
        case .caching: try HeaderFuzz.checkCaching(&random)
        case .retryAfter: try await TransferFuzz.checkRetryAfter(&random)
        case .ranges: try await TransferFuzz.checkRanges(&random)
        case .links: try await TransferFuzz.checkLinks(&random)
        case .keys: try TextFuzz.checkKeys(&random)
        case .paths: try TextFuzz.checkPaths(&random)
        case .globs: try TextFuzz.checkGlobs(&random)
        case .charsets: try HeaderFuzz.checkCharsets(&random)
        case .timestamps: try TextFuzz.checkTimestamps(&random)
        case .redirects: try await AnswerFuzz.checkRedirects(&random)
        case .references: try AnswerFuzz.checkReferences(&random)
        case .contents: try await AnswerFuzz.checkContents(&random)
        case .marks: try await DiskFuzz.checkMarks(&random)
        case .records: try await DiskFuzz.checkRecords(&random)
        case .defaults: try DiskFuzz.checkDefaults(&random)
        case .quoting: try CurlFuzz.checkQuoting(&random)
        case .addresses: try CurlFuzz.checkAddresses(&random)
        case .lengths: try await CurlFuzz.checkLengths(&random)
        }
    }
}

extension SeededRandom {
    /// A text of so many pieces, which are taken from a list, or now and then from all of Unicode.
    mutating func text(of pieces: [String], count: Range<Int>) -> String {
        (0..<number(count)).map { _ in chance(20) ? strangeText() : pick(pieces) }.joined()
    }

    /// A few scalars that texts are seldom made of.
    mutating func strangeText() -> String {
        if chance(2) {
            return pick([
                "\u{301}", "\0", "\r", "\u{FEFF}", "\u{200D}", "🇩🇪", "é", "\u{FFFF}", "\\", "\"", "%", "%2F", "%zz",
            ])
        }
        let scalar = Unicode.Scalar(UInt32(number(0..<0x11_0000))) ?? "?"
        return String(Character(scalar))
    }

    /// The text with some scalars removed, doubled or replaced.
    mutating func mutated(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<number(1..<4) where !scalars.isEmpty {
            let place = number(0..<scalars.count)
            switch number(0..<4) {
            case 0: scalars.remove(at: place)
            case 1: scalars.insert(scalars[place], at: place)
            case 2: scalars.insert(contentsOf: strangeText().unicodeScalars, at: place)
            default: scalars[place] = pick(Array("0129 -,;=:/\"GTZ*".unicodeScalars))
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Bytes, cut into pieces at random places.
    mutating func cut(_ bytes: [UInt8]) -> [Data] {
        var pieces: [Data] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, number(1..<(chance(3) ? 3 : 40)))
            pieces.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

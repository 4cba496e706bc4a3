/// Why a script cannot go on.
struct ScriptError: Error, Equatable, CustomStringConvertible {
    let problem: String
    /// Counted from 1.
    var line = 0

    init(_ problem: String, line: Int = 0) {
        self.problem = problem
        self.line = line
    }

    var description: String { "line \(line): \(problem)" }
}

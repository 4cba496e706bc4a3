import Foundation

/// The commands of a script, each with its line.
struct Script {
    struct Step {
        let command: ScriptCommand
        let text: String
        let line: Int
    }

    let steps: [Step]

    /// Reads all of a script, so that nothing of a wrong one is carried out.
    init(_ text: String) throws(ScriptError) {
        var steps: [Step] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            do {
                guard let command = try ScriptCommand(line) else { continue }
                steps.append(Step(command: command, text: line, line: index + 1))
            } catch {
                throw ScriptError(error.problem, line: index + 1)
            }
        }
        self.steps = steps
    }
}

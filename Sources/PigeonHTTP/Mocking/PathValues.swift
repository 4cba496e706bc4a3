/// What a pattern found in a path.
public struct PathValues: Sendable, Hashable {
    /// One value for each component of the path.
    public let all: [PathValue]
    let names: [String: Int]

    /// The text that stands where the pattern has `:name`, or `nil` when it has no such name.
    public subscript(name: String) -> String? {
        names[name].map { all[$0].string }
    }

    /// The value of the component at an index, counted from 0, or `nil` when there is none.
    public subscript(index: Int) -> PathValue? {
        all.indices.contains(index) ? all[index] : nil
    }

    /// The number that stands where the pattern has `:name`, or `nil` when that is none.
    public func integer(_ name: String) -> Int? {
        names[name].flatMap { all[$0].integer }
    }
}

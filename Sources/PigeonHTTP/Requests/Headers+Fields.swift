extension [String: String] {
    /// The value of a header, however its name is written.
    func value(of name: String) -> String? {
        self[name] ?? first { $0.key.isSameHeader(as: name) }?.value
    }

    /// Replaces a header, however its name is written; `nil` removes it.
    mutating func set(_ value: String?, for name: String) {
        for key in keys where key.isSameHeader(as: name) { self[key] = nil }
        self[name] = value
    }
}

/// Header fields in the order in which they were added. Names are compared without regard to case; a name can occur
/// several times.
public struct HTTPHeaders: Sendable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name, as it was written.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field]

    /// Creates headers from fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from names and values, sorted by name.
    public init(_ values: [String: String]) {
        fields = values.map(Field.init)
        fields.sort { $0.name < $1.name }
    }

    /// The value of a name. Several values are joined with ", " (RFC 9110, 5.3). Setting it replaces all of them, and
    /// `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            var found: String?
            for field in fields where field.name.isSameHeader(as: name) {
                if found == nil { found = field.value } else { found? += ", \(field.value)" }
            }
            return found
        }
        set {
            guard let newValue else { return fields.removeAll { $0.name.isSameHeader(as: name) } }
            guard let first = fields.firstIndex(where: { $0.name.isSameHeader(as: name) }) else {
                return fields.append(Field(name: name, value: newValue))
            }
            fields[first].value = newValue
            var rest = fields[(first + 1)...]
            rest.removeAll { $0.name.isSameHeader(as: name) }
            fields.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// Returns the values of a name, one for each field, as `Set-Cookie` needs them.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.isSameHeader(as: name) }.map(\.value)
    }

    /// Adds a field, and keeps other fields of the same name.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position after the last field.
    public var endIndex: Int { fields.count }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }
}

extension HTTPHeaders: Equatable {}

extension HTTPHeaders: CustomStringConvertible {
    /// The names of the fields. Values are left out, since they can be secrets.
    public var description: String { "[\(fields.map(\.name).joined(separator: ", "))]" }
}

extension String {
    /// Ignores the case of ASCII letters.
    func isSameHeader(as other: String) -> Bool {
        let (one, two) = (utf8, other.utf8)
        return one.count == two.count
            && zip(one, two).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 | 0x20 && ($0 | 0x20).isLetter) }
    }
}

extension String {
    /// Equal for all forms of a header name.
    var foldedHeader: String {
        let isCapital = { (byte: UInt8) in (0x41...0x5A).contains(byte) }
        guard utf8.contains(where: isCapital) else { return self }
        return String(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    /// True for a lower-case ASCII letter.
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self) }
}

extension [String: String] {
    /// Ignores the case of the name.
    func value(of name: String) -> String? {
        self[name] ?? first { $0.key.isSameHeader(as: name) }?.value
    }

    /// Ignores the case of the name. `nil` removes the header.
    mutating func set(_ value: String?, for name: String) {
        for key in keys where key.isSameHeader(as: name) { self[key] = nil }
        self[name] = value
    }

    /// Replaces the conditions of a request.
    mutating func set(_ validators: FetchValidators) {
        set(validators.eTag, for: "If-None-Match")
        set(validators.lastModified, for: "If-Modified-Since")
    }

    mutating func ensureContentType(_ type: String) {
        guard value(of: "Content-Type") == nil else { return }
        self["Content-Type"] = type
    }
}

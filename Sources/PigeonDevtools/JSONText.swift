#if Devtools
    /// JSON that is written piece by piece. Thousands of rows and events are written each second, for which an encoder of
    /// values takes several times as long.
    struct JSONText {
        private(set) var bytes: [UInt8]
        /// True if a value precedes in the current array or object.
        private var isBehindValue = false

        /// - Parameter bytes: A value that is written already. None by default.
        init(written bytes: some Sequence<UInt8> = []) {
            self.bytes = Array(bytes)
        }

        // MARK: Nesting

        /// - Parameter name: The name of the field that has the object. `nil` in an array, and for the whole text.
        mutating func object(_ name: String? = nil, _ body: (inout JSONText) -> Void) {
            if let name { self.name(name) }
            nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
        }

        /// - Parameter name: The name of the field that has the array. `nil` in an array, and for the whole text.
        mutating func array(_ name: String? = nil, _ body: (inout JSONText) -> Void) {
            if let name { self.name(name) }
            nest(UInt8(ascii: "["), UInt8(ascii: "]"), body)
        }

        mutating func array<Elements: Sequence>(
            _ name: String? = nil, of elements: Elements, _ write: (inout JSONText, Elements.Element) -> Void
        ) {
            array(name) { json in for element in elements { write(&json, element) } }
        }

        // MARK: Fields

        /// - Parameter write: Writes the field's value.
        mutating func field(_ name: String, _ write: (inout JSONText) -> Void) {
            self.name(name)
            write(&self)
        }

        /// - Parameter value: A value that is written already. `nil` for null.
        mutating func field(_ name: String, written value: JSONText?) {
            self.name(name)
            if let value { self.value(written: value) } else { null() }
        }

        mutating func field(_ name: String, _ text: String?) {
            self.name(name)
            value(text)
        }

        mutating func field(_ name: String, _ number: Double?) {
            self.name(name)
            value(number)
        }

        mutating func field(_ name: String, _ number: Int?) {
            self.name(name)
            value(number)
        }

        mutating func field(_ name: String, _ number: Int64?) {
            self.name(name)
            raw(number.map { "\($0)" } ?? "null")
        }

        mutating func field(_ name: String, _ number: UInt64?) {
            self.name(name)
            raw(number.map { "\($0)" } ?? "null")
        }

        mutating func field(_ name: String, _ isTrue: Bool) {
            self.name(name)
            raw(isTrue ? "true" : "false")
        }

        // MARK: Values

        mutating func null() { raw("null") }

        mutating func value(_ text: String?) {
            guard let text else { return null() }
            separate()
            quote(text)
            isBehindValue = true
        }

        mutating func value(_ number: Int?) { raw(number.map(String.init) ?? "null") }

        /// Writes a number. One that JSON does not know is written as null.
        mutating func value(_ number: Double?) {
            raw(number.flatMap { $0.isFinite ? "\(($0 * 1000).rounded() / 1000)" : nil } ?? "null")
        }

        /// Adds values that were written before, separated by commas.
        mutating func value(written other: JSONText) {
            guard !other.bytes.isEmpty else { return }
            separate()
            bytes += other.bytes
            isBehindValue = true
        }

        private mutating func name(_ name: String) {
            separate()
            quote(name)
            bytes.append(UInt8(ascii: ":"))
            isBehindValue = false
        }

        private mutating func raw(_ text: String) {
            separate()
            bytes += text.utf8
            isBehindValue = true
        }

        private mutating func nest(_ opening: UInt8, _ closing: UInt8, _ body: (inout JSONText) -> Void) {
            separate()
            bytes.append(opening)
            isBehindValue = false
            body(&self)
            bytes.append(closing)
            isBehindValue = true
        }

        private mutating func separate() {
            if isBehindValue { bytes.append(UInt8(ascii: ",")) }
        }

        private mutating func quote(_ text: String) {
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
                case 0..<0x20:
                    let digits = Array("0123456789abcdef".utf8)
                    bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }
#endif

/// A line of the program.
@usableFromInline
package struct CodePlace: Sendable, CustomStringConvertible {
    private let file: StaticString
    private let line: UInt32

    @usableFromInline
    package init(_ file: StaticString, _ line: UInt) {
        (self.file, self.line) = (file, UInt32(clamping: line))
    }

    @usableFromInline package var description: String { "\(file):\(line)" }
}

/// Calls functions of any isolation at once: what the screen calls is called on the main actor, as SwiftUI does.
enum Isolation {
    static func run<Result>(_ body: @escaping @isolated(any) @Sendable () -> Result) -> Result {
        typealias Plain = @Sendable () -> Result
        return unsafeBitCast(body, to: Plain.self)()
    }

    static func run<Value>(_ body: @escaping @isolated(any) @Sendable (Value) -> Void, _ value: Value) {
        typealias Plain = @Sendable (Value) -> Void
        unsafeBitCast(body, to: Plain.self)(value)
    }

    static func run<Value>(
        _ body: @escaping @isolated(any) @Sendable (Value, Transaction) -> Void, _ value: Value,
        _ transaction: Transaction
    ) {
        typealias Plain = @Sendable (Value, Transaction) -> Void
        unsafeBitCast(body, to: Plain.self)(value, transaction)
    }
}

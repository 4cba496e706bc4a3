import Foundation

/// The evaluation that is under way on a thread, so that what it reads can tell it of changes.
///
/// An evaluation never leaves its thread, whereas a task that it starts would inherit a task-local value.
final class Reader {
    let handle: Handle
    let generation: Int
    private let previous: Reader?

    private init(handle: Handle, previous: Reader?) {
        self.handle = handle
        generation = handle.generation
        self.previous = previous
    }

    private static let key = "SwiftUI.Reader"

    static var current: Reader? { Thread.current.threadDictionary[key] as? Reader }

    /// Runs `body` with the values it reads noted for `handle`.
    @MainActor
    static func run<Result>(for handle: Handle, _ body: @MainActor () -> Result) -> Result {
        let dictionary = Thread.current.threadDictionary
        let reader = Reader(handle: handle, previous: current)
        dictionary[key] = reader
        defer { dictionary[key] = reader.previous }
        let generation = reader.generation
        return withObservationTracking {
            body()
        } onChange: { [weak handle] in
            handle?.invalidate(generation: generation)
        }
    }

    /// Runs `body` with nothing noted.
    @MainActor
    static func pause<Result>(_ body: @MainActor () -> Result) -> Result {
        let dictionary = Thread.current.threadDictionary
        let previous = dictionary[key]
        dictionary[key] = nil
        defer { dictionary[key] = previous }
        return body()
    }
}

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
}

/// The updates of views that are under way on a thread. An action that a view asked for, such as that of `onAppear`,
/// runs after them.
enum Update {
    private static let key = "SwiftUI.Update"

    /// True if the thread updates views, during which no object may say that it changes.
    static var isRunning: Bool { Thread.current.threadDictionary[key] != nil }

    @MainActor
    static func run<Result>(_ body: @MainActor () -> Result) -> Result {
        let dictionary = Thread.current.threadDictionary
        let previous = dictionary[key]
        dictionary[key] = true
        defer { dictionary[key] = previous }
        return body()
    }
}

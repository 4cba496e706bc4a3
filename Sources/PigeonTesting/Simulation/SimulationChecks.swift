package import PigeonCore

/// Checks that a simulation makes besides the rules of a program.
///
/// Pigeon's own tests look into the client with them. See `Tests/EngineSimulation`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package protocol SimulationChecks: AnyObject {
    /// Called before each action, except a restart.
    ///
    /// - Parameter moment: The kind of user code within which the action is performed. `nil` for none.
    /// - Returns: A function that is called after the action, before the resulting work runs.
    func begin(_ action: SimulatedAction, within moment: SimulatedMoment?) -> () -> Void

    /// Called after each operation, once all resulting work has run, before the rules of the program are checked.
    func check()

    /// Called at the end of a run, once the program has released everything and all its data is unused.
    func checkEnd()

    /// Called for each event between two actions, or during one.
    func note(_ event: SimulatedEvent)
}

/// Makes the checks of one run. The world owns them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package typealias SimulationChecksMaker = @Sendable (_ world: SimulatedWorld) -> any SimulationChecks

/// Something that happens in a simulation without being an action of its own.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package enum SimulatedEvent {
    /// A fetcher was called. User code may run before it sends its request.
    case fetcherCalled(SimulatedRequest)
    /// A fetcher is about to send its request.
    case requestSent(SimulatedRequest)
    /// The program or a mutation wrote the value of a key.
    case written(SimulatedSubject)
    case mutationEnded(SimulatedSubject)
    case batch([QueryRecordChange])
    case emitted(QueryEvent)
}

package struct SimulatedRequest: Sendable {
    /// The text of the key.
    package let name: String
    package let generation: UInt64
    package let attempt: Int
    package let cause: Cause
    /// True for a request for one page of a list.
    package let isOfList: Bool
    /// The tag of a conditional request.
    package var tag: String?
    /// The version of the value for which a conditional request is made.
    package var previous: Int?

    /// Identifies the fetch with all its attempts.
    package var origin: String { "\(name) \(generation)" }

    init<Value: Sendable>(_ context: FetchContext<Value>, tag: String? = nil, previous: Int? = nil) {
        self.init(context.run, attempt: context.attempt, isOfList: false)
        (self.tag, self.previous) = (tag, previous)
    }

    init<Page: Sendable>(_ context: PageContext<Page>) {
        self.init(context.run, attempt: context.attempt, isOfList: true)
    }

    private init(_ run: FetchRun, attempt: Int, isOfList: Bool) {
        (name, generation, cause) = (run.key.queryKeyValue, run.generation, run.cause)
        (self.attempt, self.isOfList) = (attempt, isOfList)
    }
}

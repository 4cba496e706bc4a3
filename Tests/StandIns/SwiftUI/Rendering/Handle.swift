import Synchronization

/// What a node gives to all that may change what it shows. It may be told from any thread.
final class Handle: Sendable {
    private struct State {
        var generation = 0
        var isDirty = false
        var isGone = false
    }

    private let state = Mutex(State())
    private let inbox: Inbox

    init(inbox: Inbox) {
        self.inbox = inbox
    }

    var identifier: ObjectIdentifier { ObjectIdentifier(self) }

    /// The number of the evaluation that is valid now.
    var generation: Int { state.withLock(\.generation) }

    /// Starts an evaluation: what earlier ones depended on counts no longer.
    func begin() {
        state.withLock { state in
            state.generation += 1
            state.isDirty = false
        }
    }

    /// Marks the node as one to evaluate again, if the evaluation that asks for it is still valid.
    func invalidate(generation: Int? = nil) {
        let isNews = state.withLock { state in
            guard !state.isDirty, !state.isGone, generation == nil || generation == state.generation else {
                return false
            }
            state.isDirty = true
            return true
        }
        if isNews { inbox.add(self) }
    }

    /// Marks the node for an object that will change, which is not to happen during an update.
    func objectWillChange() {
        if Update.isRunning { inbox.noteUntimely() }
        if Animation.current != nil { inbox.noteAnimated() }
        invalidate()
    }

    /// Says whether the node is still to be evaluated.
    var isDirty: Bool { state.withLock { $0.isDirty && !$0.isGone } }

    /// Takes no more notice of changes.
    func end() {
        state.withLock { $0.isGone = true }
    }
}

/// The nodes to evaluate again.
final class Inbox: Sendable {
    private let handles = Mutex<[Handle]>([])

    func add(_ handle: Handle) {
        handles.withLock { $0.append(handle) }
    }

    private let untimely = Mutex(0)

    /// How often an object changed during an update.
    var untimelyChanges: Int { untimely.withLock { $0 } }

    func noteUntimely() {
        untimely.withLock { $0 += 1 }
    }

    private let animated = Mutex(0)

    /// How often an object changed within an animation.
    var animatedChanges: Int { animated.withLock { $0 } }

    func noteAnimated() {
        animated.withLock { $0 += 1 }
    }

    /// Takes out all that came in.
    func empty() -> [Handle] {
        handles.withLock { handles in
            defer { handles.removeAll() }
            return handles
        }
    }
}

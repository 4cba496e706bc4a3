/// The pages on top of the root of one navigation container.
@MainActor
final class Pages {
    /// A page that a link pushed, or a value that stands for one.
    struct Page {
        let id: Int
        let make: @MainActor () -> any View
        /// The link that pushed the page and keeps it up to date.
        let link: ObjectIdentifier?
    }

    private let handle: Handle
    private(set) var pushed: [Page] = []
    private var lastID = 0
    private var destinations: [ObjectIdentifier: @MainActor (AnyHashable) -> (any View)?] = [:]
    private var valuePages: [Handle] = []
    /// Adds a value to the path that the app keeps; false if it keeps none.
    var append: @MainActor (AnyHashable) -> Bool = { _ in false }
    /// Takes the last value off the path that the app keeps; false if there is none.
    var removeLast: @MainActor () -> Bool = { false }

    init(handle: Handle) {
        self.handle = handle
    }

    func push(_ value: AnyHashable) {
        guard !append(value) else { return }
        push(from: nil) { ValuePage(value: value) }
    }

    func push(from link: ObjectIdentifier?, _ make: @escaping @MainActor () -> any View) {
        lastID += 1
        pushed.append(Page(id: lastID, make: make, link: link))
        handle.invalidate()
    }

    /// Takes the newest page away; false if only the root is left.
    func pop() -> Bool {
        guard pushed.popLast() == nil else {
            handle.invalidate()
            return true
        }
        return removeLast()
    }

    /// Takes over what a link leads to now.
    func update(from link: ObjectIdentifier, _ make: @escaping @MainActor () -> any View) {
        guard let index = pushed.firstIndex(where: { $0.link == link }) else { return }
        pushed[index] = Page(id: pushed[index].id, make: make, link: link)
        handle.invalidate()
    }

    /// Takes over what shows values of a type.
    func register<Value: Hashable>(_ type: Value.Type, at node: Node, _ destination: @escaping (Value) -> any View) {
        destinations[ObjectIdentifier(type)] = { ($0.base as? Value).map(destination) }
        let above = Set(node.ancestors.map(\.handle.identifier))
        for page in valuePages where !above.contains(page.identifier) { page.invalidate() }
    }

    /// What shows a value; the page at `node` is told when that changes.
    func destination(for value: AnyHashable, at node: Node) -> (any View)? {
        valuePages.append(node.handle)
        return destinations[ObjectIdentifier(type(of: value.base))]?(value)
    }
}

/// The page of a value.
struct ValuePage: Drawn {
    let value: AnyHashable

    func plan(_ plan: inout Plan, in node: Node) {
        if let view = node.surroundings.pages?.destination(for: value, at: node) { plan.add(view) }
    }
}

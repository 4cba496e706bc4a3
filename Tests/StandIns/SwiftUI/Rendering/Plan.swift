/// What a view wants below it, before that is compared with what is there.
@MainActor
struct Plan {
    /// What a child is to its parent.
    enum Role: Hashable {
        case content, label, header, footer, toolbar, sheet, alert, actions, page
    }

    /// Where a child stands; with its type this is its identity.
    struct Key: Hashable {
        var role = Role.content
        var id: AnyHashable = 0
        /// Tells children apart that claim the same identifier.
        var repetition = 0
    }

    /// One child.
    struct Entry {
        let key: Key
        let type: any View.Type
        let make: @MainActor () -> any View
        /// What the way from the parent to the child changes in the child's surroundings.
        var adjust: (@MainActor (inout Surroundings) -> Void)?
        /// A number that stays the same while the very same view value is handed on; nil for a view made anew.
        var version: Int?
        /// True if the child stays as it is, but is not to be seen.
        var isCovered = false
    }

    private(set) var entries: [Entry] = []
    private var repetitions: [Key: Int] = [:]

    /// Adds a child that is there already.
    mutating func add(
        _ view: any View, _ role: Role = .content, id: AnyHashable = 0, isCovered: Bool = false, version: Int? = nil,
        adjust: (@MainActor (inout Surroundings) -> Void)? = nil
    ) {
        add(
            Entry(
                key: Key(role: role, id: id), type: Swift.type(of: view), make: { view }, adjust: adjust,
                version: version, isCovered: isCovered))
    }

    /// Adds a child that is made when it comes on the screen.
    mutating func add<Content: View>(id: AnyHashable, lazily make: @escaping @MainActor () -> Content) {
        add(Entry(key: Key(id: id), type: Content.self, make: make))
    }

    private mutating func add(_ entry: Entry) {
        let repetition = repetitions[entry.key, default: 0]
        repetitions[entry.key] = repetition + 1
        var key = entry.key
        key.repetition = repetition
        entries.append(
            Entry(
                key: key, type: entry.type, make: entry.make, adjust: entry.adjust, version: entry.version,
                isCovered: entry.isCovered))
    }
}

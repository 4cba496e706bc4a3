// One for each way to tell items apart: by identity, by hash, by equality.

extension ItemList where Item: Identifiable & Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Identifiable & Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension ItemList where Item: Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList where Item: Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func itemsSubscriber() -> ListSubscriber<[Item]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension ItemList {
    /// What shows in this list what a publisher sends. Does not keep the list.
    ///
    /// - Parameter changes: Finds what makes the items that are shown into the new ones.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[Item]> {
        let shown = Shown<[Item]>()
        return ListSubscriber { [weak self] items in
            guard let self else { return false }
            let changes = shown.items.map { changes($0, items) } ?? .reload
            shown.items = items
            if !changes.isEmpty { apply(changes, items: items) }
            return true
        }
    }
}

extension SectionList {
    /// What shows in this list what a publisher sends. Does not keep the list.
    ///
    /// - Parameter changes: Finds what makes the items of a section into those of another.
    public func subscriber(
        changes: @escaping @MainActor @Sendable (_ old: [Item], _ new: [Item]) -> ListChanges
    ) -> ListSubscriber<[ListSection<SectionID, Item>]> {
        let shown = Shown<[ListSection<SectionID, Item>]>()
        return ListSubscriber { [weak self] sections in
            guard let self else { return false }
            let changes = shown.items.map { SectionChanges(from: $0, to: sections, items: changes) } ?? .reload
            shown.items = sections
            if !changes.isEmpty { apply(changes, sections: sections) }
            return true
        }
    }
}

extension SectionList where Item: Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1) }
    }
}

extension SectionList where Item: Identifiable & Equatable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

extension SectionList where Item: Identifiable & Hashable {
    /// What shows in this list what a publisher sends. Does not keep the list.
    public func sectionsSubscriber() -> ListSubscriber<[ListSection<SectionID, Item>]> {
        subscriber { ListChanges(from: $0, to: $1, identifiedBy: \.id, hasSameContent: ==) }
    }
}

/// What a subscriber showed last.
@MainActor
private final class Shown<Items> {
    var items: Items?

    nonisolated init() {}
}

// Modifiers that name the items in a value, so that the newest one reaches it, and so that an item can be edited and
// invalidated wherever it stands. Each names one part of the value, and a definition may have several.

extension QueryDefinition {
    /// A part that was said before is not edited twice.
    consuming func adding(_ part: some ContainedPart) -> Self {
        adding { extras in
            let others = (extras.containment?.parts ?? []).filter { other in
                part.path == nil || other.path != part.path || other.itemType != part.itemType
            }
            extras.containment = Containment(others + [part])
        }
    }

    /// Says that a value is an item, or has one as a part. The newest item with a type and an identifier replaces the older
    /// ones in every entry whose definition says that it contains such items.
    ///
    /// ```swift
    /// let post = QueryDefinition<Post>.value("posts", 1).contains(\.self).contains(\.author)
    /// ```
    ///
    /// An item is newer if it was requested later, whichever answer, page, write or change of a source of truth brought it.
    /// The rest of the entry stays as it is: its age, its freshness and its error. There is no other copy of the item, and
    /// no schema. An item that no definition declares is not found. Name an item before those that are parts of it.
    ///
    /// ``QueryClient/update(_:_:during:_:)-(Item.Type,_,_,_)`` edits an item in all of these entries, and
    /// ``KeyFilter/containing(_:_:)`` finds them.
    ///
    /// Key paths and identifiers are read when a value changes, and when the newest item replaces another one. They are
    /// called outside locks, before observers learn of the change, and may be called on any thread.
    public consuming func contains<Item: Identifiable & Sendable>(_ part: any WritableKeyPath<Value, Item> & Sendable)
        -> Self
    where Item.ID: QueryKeyComponent {
        adding(
            ItemsOf<Item>(at: part, id: \.id) { (value: Value, visit) in
                visit(value[keyPath: part])
            } edit: { value, matches, edit in
                if matches(value[keyPath: part]) { edit(&value[keyPath: part]) }
            })
    }

    /// Says that a value may have an item as a part.
    public consuming func contains<Item: Identifiable & Sendable>(_ part: any WritableKeyPath<Value, Item?> & Sendable)
        -> Self
    where Item.ID: QueryKeyComponent {
        adding(
            ItemsOf<Item>(
                at: part, id: \.id,
                list: ItemList { (value: inout Value, matches) in
                    if let item = value[keyPath: part], matches(item) { value[keyPath: part] = nil }
                }
            ) { (value: Value, visit) in
                if let item = value[keyPath: part] { visit(item) }
            } edit: { value, matches, edit in
                guard var item = value[keyPath: part], matches(item) else { return }
                edit(&item)
                value[keyPath: part] = item
            })
    }

    /// Says that a part of a value is a collection of items.
    ///
    /// ```swift
    /// let team = QueryDefinition<Team>.value("team").contains(each: User.self, in: \.members)
    /// ```
    public consuming func contains<Items: MutableCollection & Sendable>(
        each type: Items.Element.Type, in part: any WritableKeyPath<Value, Items> & Sendable
    ) -> Self where Items.Element: Identifiable & Sendable, Items.Element.ID: QueryKeyComponent {
        adding(
            ItemsOf<Items.Element>(at: part, id: \.id, list: .part(part)) { (value: Value, visit) in
                value[keyPath: part].forEach(visit)
            } edit: { value, matches, edit in
                value[keyPath: part].editEach(where: matches, edit)
            })
    }

    /// Says which items a value contains, by a function that visits them. For values in which no key path leads to the
    /// items: enumerations, trees, dictionaries by other keys.
    ///
    /// ```swift
    /// let tree = QueryDefinition<Tree>.value("tree").contains(User.self) { tree, visit in tree.visitOwners(visit) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the items.
    ///   - visiting: Calls `visit` with each item, and stores what it changes. Called on a copy of the value, outside locks.
    public consuming func contains<Item: Identifiable & Sendable>(
        _ type: Item.Type, visiting: @escaping @Sendable (_ value: inout Value, _ visit: (inout Item) -> Void) -> Void
    ) -> Self where Item.ID: QueryKeyComponent {
        adding(
            ItemsOf<Item>(id: \.id) { (value: Value, visit) in
                var copy = value
                visiting(&copy) { visit($0) }
            } edit: { value, matches, edit in
                visiting(&value) { if matches($0) { edit(&$0) } }
            })
    }
}

extension QueryDefinition where Value: MutableCollection {
    /// Says that a value is a collection of items.
    ///
    /// ```swift
    /// let users = QueryDefinition<[User]>.value("users").contains(each: User.self)
    /// ```
    public consuming func contains(each type: Value.Element.Type) -> Self
    where Value.Element: Identifiable & Sendable, Value.Element.ID: QueryKeyComponent {
        adding(
            ItemsOf<Value.Element>(at: \Value.self, id: \.id, list: .part(\Value.self)) { (value: Value, visit) in
                value.forEach(visit)
            } edit: { value, matches, edit in
                value.editEach(where: matches, edit)
            })
    }

    /// Says that each element of a value has an item as a part.
    ///
    /// ```swift
    /// let posts = QueryDefinition<[Post]>.value("posts").contains(each: Post.self).contains(each: \.author)
    /// ```
    public consuming func contains<Item: Identifiable & Sendable>(
        each part: any WritableKeyPath<Value.Element, Item> & Sendable
    ) -> Self where Item.ID: QueryKeyComponent {
        adding(
            ItemsOf<Item>(at: part, id: \.id) { (value: Value, visit) in
                value.forEach { visit($0[keyPath: part]) }
            } edit: { value, matches, edit in
                value.editEach(where: { matches($0[keyPath: part]) }) { edit(&$0[keyPath: part]) }
            })
    }
}

extension QueryDefinition {
    /// Says that each page of a list is a collection of items.
    public consuming func contains<Page: MutableCollection & Sendable, PageID>(each type: Page.Element.Type) -> Self
    where Value == Pages<Page, PageID>, Page.Element: Identifiable & Sendable, Page.Element.ID: QueryKeyComponent {
        adding(
            ItemsOf<Page.Element>(
                at: \Value.self, ofEachPageIn: Value.self, id: \.id, list: .part(\Page.self)
            ) { (page: Page, visit) in
                page.forEach(visit)
            } edit: { page, matches, edit in
                page.editEach(where: matches, edit)
            })
    }

    /// Says that each element of each page of a list has an item as a part.
    public consuming func contains<Page: MutableCollection & Sendable, PageID, Item: Identifiable & Sendable>(
        each part: any WritableKeyPath<Page.Element, Item> & Sendable
    ) -> Self where Value == Pages<Page, PageID>, Item.ID: QueryKeyComponent {
        adding(
            ItemsOf<Item>(at: part, ofEachPageIn: Value.self, id: \.id) { (page: Page, visit) in
                page.forEach { visit($0[keyPath: part]) }
            } edit: { page, matches, edit in
                page.editEach(where: { matches($0[keyPath: part]) }) { edit(&$0[keyPath: part]) }
            })
    }

    /// Says that each page of a list has a collection of items as a part.
    ///
    /// ```swift
    /// let feed = QueryDefinition<Pages<FeedPage, Int>>.value("feed").contains(each: Post.self, in: \FeedPage.posts)
    /// ```
    public consuming func contains<Page, PageID, Items: MutableCollection & Sendable>(
        each type: Items.Element.Type, in part: any WritableKeyPath<Page, Items> & Sendable
    ) -> Self
    where Value == Pages<Page, PageID>, Items.Element: Identifiable & Sendable, Items.Element.ID: QueryKeyComponent {
        adding(
            ItemsOf<Items.Element>(at: part, ofEachPageIn: Value.self, id: \.id, list: .part(part)) {
                (page: Page, visit) in
                page[keyPath: part].forEach(visit)
            } edit: { page, matches, edit in
                page[keyPath: part].editEach(where: matches, edit)
            })
    }
}

extension MutableCollection {
    /// Edits the elements that match, in place.
    fileprivate mutating func editEach(where matches: (Element) -> Bool, _ edit: (inout Element) -> Void) {
        for index in indices where matches(self[index]) { edit(&self[index]) }
    }
}

#if Devtools
    internal import PigeonCore

    /// An item that a browser has selected, with the entries that contain it. Belongs to the event loop.
    final class ItemView {
        private let view: ClientView
        private let item: ItemKey
        private let type: String
        private let id: String
        /// What was sent last.
        private var last: ItemPlaces?

        /// Maximum number of entries that are sent, and of items of each type in an entry.
        static let limit = 200

        /// Finds an item by the names that a browser knows. `nil` if the entry contains no such items, or if they are hidden.
        ///
        /// - Parameter key: The entry in which it was selected, which says what the name of the type means.
        init?(_ id: String, ofType type: String, in key: QueryKey, _ view: ClientView) {
            guard let report = view.watch.client?.report(of: key), !view.isHidden(report),
                let kind = report.items?.kinds.first(where: { $0.name == type }), !view.isHidden(kind)
            else { return nil }
            item = kind.item(id)
            (self.view, self.type, self.id) = (view, type, id)
        }

        /// The entries that contain the item, as a message. `nil` if they have not changed.
        func update() -> JSONText? {
            guard let found = view.watch.client?.places(of: item, limit: Self.limit), last != found else { return nil }
            last = found
            return Messages.item(id, ofType: type, of: view.watch.id, found, view.names)
        }
    }
#endif

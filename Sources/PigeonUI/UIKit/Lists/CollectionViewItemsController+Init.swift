#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase

    // One for each way to identify items: by `id`, by hash, by equality.

    extension CollectionViewItemsController where Item: Identifiable & Equatable {
        /// Creates a controller. Items with the same `id` are the same item.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Identifiable & Hashable {
        /// Creates a controller. Items with the same `id` are the same item.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Hashable {
        /// Creates a controller. Equal items are the same item.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Equatable {
        /// Creates a controller. Equal items are the same item.
        ///
        /// - Parameter cellFactory: Returns the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }
#endif

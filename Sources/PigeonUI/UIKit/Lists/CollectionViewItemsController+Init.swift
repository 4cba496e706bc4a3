#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase

    // One for each way to tell items apart: by identity, by hash, by equality.

    extension CollectionViewItemsController where Item: Identifiable & Equatable {
        /// Creates a controller. Items with the same `id` are the same.
        ///
        /// - Parameter cellFactory: Makes the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Identifiable & Hashable {
        /// Creates a controller. Items with the same `id` are the same.
        ///
        /// - Parameter cellFactory: Makes the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Hashable {
        /// Creates a controller. Items that are equal are the same.
        ///
        /// - Parameter cellFactory: Makes the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }

    extension CollectionViewItemsController where Item: Equatable {
        /// Creates a controller. Items that are equal are the same.
        ///
        /// - Parameter cellFactory: Makes the cell of an item.
        public convenience init(cellFactory: @escaping CellFactory) {
            self.init(changes: { ListChanges(from: $0, to: $1) }, cellFactory: cellFactory)
        }
    }
#endif

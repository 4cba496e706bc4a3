package import PigeonStore

/// Provides the functions of the library's stores, for examples that declare the same names again.
package struct LibraryStore<Store: StoreFlowable> {
    private let store: Store

    package init(_ store: Store) {
        self.store = store
    }

    package func getData(from place: GettingFrom) -> AnyPublisher<Store.DATA?, Never> { store.getData(from: place) }

    package func requireData(from place: GettingFrom) -> AnyPublisher<Store.DATA, any Error> {
        store.requireData(from: place)
    }

    package func publish(forceRefresh: Bool) -> LoadingStatePublisher<Store.DATA> {
        store.publish(forceRefresh: forceRefresh)
    }
}

extension LibraryStore where Store: PaginationStoreFlowable {
    package func requestNextData(continueWhenError: Bool) -> AnyPublisher<Void, Never> {
        store.requestNextData(continueWhenError: continueWhenError)
    }
}

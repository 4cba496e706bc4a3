import PigeonStore

/// A custom cache of a program, which factories read and write.
final class Drawer: Sendable {
    private struct State {
        var text: String?
        var keys: PageKeys?
        var isStale = false
    }

    private let state: Locked<State>

    init(_ text: String? = nil, isStale: Bool = false) {
        state = Locked(State(text: text, isStale: isStale))
    }

    var text: String? {
        get { state.withLock { $0.text } }
        set { state.withLock { $0.text = newValue } }
    }

    var keys: PageKeys? {
        get { state.withLock { $0.keys } }
        set { state.withLock { $0.keys = newValue } }
    }

    var isStale: Bool {
        get { state.withLock { $0.isStale } }
        set { state.withLock { $0.isStale = newValue } }
    }
}

final class TextManager: FlowableDataStateManager<Int>, @unchecked Sendable {}  // it adds no property

/// A factory whose publishers a test can replace.
struct TextFactory: StoreFlowableFactory {
    var key = 1
    var flowableDataStateManager: FlowableDataStateManager<Int> = TextManager(queryKey: "texts")
    var drawer = Drawer()
    var load: (@Sendable () -> AnyPublisher<String?, Never>)?
    var save: (@Sendable () -> AnyPublisher<Void, Never>)?
    var need: (@Sendable () -> AnyPublisher<Bool, Never>)?
    var changes: (@Sendable () -> AnyPublisher<Void, Never>)?
    var fetch: @Sendable () -> AnyPublisher<String, any Error> = {
        Just("fetched").setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }

    func loadDataFromCache() -> AnyPublisher<String?, Never> {
        load?() ?? Deferred { Just(drawer.text) }.eraseToAnyPublisher()
    }

    func saveDataToCache(newData: String?) -> AnyPublisher<Void, Never> {
        drawer.text = newData
        return save?() ?? Just(()).eraseToAnyPublisher()
    }

    func needRefresh(cachedData: String) -> AnyPublisher<Bool, Never> {
        need?() ?? Just(drawer.isStale).eraseToAnyPublisher()
    }

    var cacheChanges: AnyPublisher<Void, Never>? { changes?() }

    func fetchDataFromOrigin() -> AnyPublisher<String, any Error> { fetch() }
}

/// A factory of a list that is a text. Its cache outlives the program.
struct PagedTextFactory: PaginationStoreFlowableFactory {
    let key = 1
    let flowableDataStateManager: FlowableDataStateManager<Int>
    let drawer: Drawer

    func loadDataFromCache() -> AnyPublisher<String?, Never> { Just(drawer.text).eraseToAnyPublisher() }

    func saveDataToCache(newData: String?) -> AnyPublisher<Void, Never> {
        drawer.text = newData
        return Just(()).eraseToAnyPublisher()
    }

    func saveNextDataToCache(cachedData: String, newData: String) -> AnyPublisher<Void, Never> {
        saveDataToCache(newData: cachedData + newData)
    }

    func needRefresh(cachedData: String) -> AnyPublisher<Bool, Never> { Just(drawer.isStale).eraseToAnyPublisher() }
    func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never> { Just(drawer.keys).eraseToAnyPublisher() }

    func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never> {
        drawer.keys = keys
        return Just(()).eraseToAnyPublisher()
    }

    func fetchDataFromOrigin() -> AnyPublisher<Fetched<String>, any Error> { page("a", next: "b") }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<String>, any Error> {
        page(nextKey, next: nextKey == "b" ? "c" : nil)
    }

    private func page(_ text: String, next: String?) -> AnyPublisher<Fetched<String>, any Error> {
        Just(Fetched(data: text, nextKey: next)).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
}

/// Data that is there, or that is made when somebody looks at it.
enum StoreData<DATA: Sendable>: Sendable {
    case whole(DATA)
    case lazy(any LazyData<DATA>)

    var value: DATA {
        switch self {
        case .whole(let data): data
        case .lazy(let lazy): lazy.value
        }
    }
}

extension StoreData: Equatable where DATA: Equatable {
    static func == (one: StoreData, other: StoreData) -> Bool {
        if case .lazy(let mine) = one, case .lazy(let its) = other, mine.isSame(as: its) { return true }
        return one.value == other.value
    }
}

/// Data that is made when somebody looks at it.
protocol LazyData<Value>: Sendable {
    associatedtype Value: Sendable

    var value: Value { get }

    /// Whether both are known to make the same.
    func isSame(as other: any LazyData<Value>) -> Bool
}

/// Keeps lists that grow at both sides. `DATA` is the type of one item.
open class TwoWayPaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: PaginationCacher<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    override var isPlain: Bool { type(of: self) == TwoWayPaginationCacher.self }

    /// Writes the previous page before what is cached. An item whose `id` is there already is replaced where it stands.
    open func savePrevData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData.merging(newData, .previous), param: param)
    }

    /// Reads what the previous page is asked by. `nil` or empty at the start of the list.
    open func loadPrevRequestKey(param: PARAM) async throws -> String? {
        shelf[param]?.facts.keys.prev
    }

    /// Writes what the previous page is asked by. `nil` or empty at the start of the list.
    open func savePrevRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.prev = requestKey }
    }
}

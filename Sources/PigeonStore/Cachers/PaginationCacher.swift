/// Keeps lists that grow at their end. `DATA` is the type of one item.
open class PaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: Cacher<PARAM, [DATA]>,
    @unchecked Sendable  // it adds no property
{
    /// Writes the next page after what is cached.
    open func saveNextData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData + newData, param: param)
    }

    /// Reads what the next page is asked by. `nil` or empty at the end of the list.
    open func loadNextRequestKey(param: PARAM) async throws -> String? {
        shelf[param]?.keys.next
    }

    /// Writes what the next page is asked by. `nil` or empty at the end of the list.
    open func saveNextRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.next = requestKey }
    }
}

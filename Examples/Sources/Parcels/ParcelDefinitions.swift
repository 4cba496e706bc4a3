import PigeonCore

extension QueryDefinition {
    static func parcels() -> Self where Value == Pages<[Parcel], Int> {
        QueryDefinition.pages("parcels", first: 1) { page, context in
            try await context[(any ParcelAPI).self].parcels(page: page, for: context)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }.contains(each: Parcel.self).persisted()
    }
    static func parcels(named text: String) -> Self where Value == [Parcel] {
        QueryDefinition("parcels", "named", text) { try await $0[(any ParcelAPI).self].parcels(named: text) }
            .contains(each: Parcel.self).debounced(by: .milliseconds(300)).persisted()
    }
    static func tracked(_ id: Int) -> Self where Value == TrackedParcel {
        QueryDefinition("parcels", id) { context in
            let parcel = try await context[(any ParcelAPI).self].parcel(id)
            return TrackedParcel(parcel: parcel, depot: try await context.fetch(.depot(parcel.depotID)))
        }.contains(\.parcel).poll(every: .seconds(2)) { $0.parcel.status == .delivered }.persisted()
    }
    static func depot(_ id: Int) -> Self where Value == Depot {
        QueryDefinition("depots", id) { try await $0[(any ParcelAPI).self].depot(id) }.staleAfter(.hours(1)).persisted()
    }
}

struct RenameParcel: Mutating {
    let id: Int
    let name: String
    func run(_ context: MutationContext) async throws -> Parcel {
        try await context[(any ParcelAPI).self].rename(id, to: name)
    }
    /// Edits the parcel in the list, in the results of all searches, and where it is tracked.
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(Parcel.self, id) { $0.name = name } }
    func invalidates(_ parcel: Parcel) -> [KeyFilter] { [.path(of: .parcels())] }
}

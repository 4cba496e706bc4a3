import PigeonCore

extension QueryDefinition {
    static func parcels() -> Self where Value == Pages<[Parcel], Int> {
        QueryDefinition.pages("parcels", first: 1) { page, context in
            try await context[(any ParcelAPI).self].parcels(page: page, for: context)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }.persisted()
    }
    static func parcels(named text: String) -> Self where Value == [Parcel] {
        QueryDefinition("parcels", "named", text) { try await $0[(any ParcelAPI).self].parcels(named: text) }
            .debounced(by: .milliseconds(300)).persisted()
    }
    static func parcel(_ id: Int) -> Self where Value == Parcel {
        QueryDefinition("parcels", id) { context in
            var parcel = try await context[(any ParcelAPI).self].parcel(id)
            parcel.depot = try await context.fetch(.depot(parcel.depotID))
            return parcel
        }.poll(every: .seconds(2)) { $0.status == .delivered }.persisted()
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
    /// Edits the parcel, the list, and the results of all searches, whose keys are below the key of the list.
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.parcel(id)) { $0.name = name }
        edits.update(.parcels()) { pages in pages.update(where: { $0.id == id }) { $0.name = name } }
        edits.update(.path(of: .parcels()), as: [Parcel].self) { found in
            for index in found.indices where found[index].id == id { found[index].name = name }
        }
    }
    func invalidates(_ parcel: Parcel) -> [KeyFilter] { [.path(of: .parcels())] }
}

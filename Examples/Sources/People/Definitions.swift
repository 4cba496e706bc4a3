import Pigeon

extension QueryDefinition {
    static func people() -> Self where Value == Pages<[Person], Int> {
        .pages("people", first: 1) { page, context in
            try await context[(any Server).self].people(named: "", page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }.contains(each: Person.self)
    }
    static func person(_ id: Int) -> Self where Value == Person {
        QueryDefinition("people", id) { try await $0[(any Server).self].person(id) }.contains(\.self)
    }
    static func search(_ text: String) -> Self where Value == [Person] {
        QueryDefinition("people", "named", text) { try await $0[(any Server).self].people(named: text, page: 1) }
            .debounced(by: .milliseconds(300)).placeholder { $0 }.contains(each: Person.self)
    }
    static func team(_ id: Int) -> Self where Value == Team {
        QueryDefinition("teams", id) { try await $0[(any Server).self].team(id) }
    }
}

struct RenamePerson: Mutating {
    let id: Int
    let name: String
    func run(_ context: MutationContext) async throws -> Person {
        try await context[(any Server).self].rename(id, to: name)
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(Person.self, id) { $0.name = name } }
    func invalidates(_ person: Person) -> [KeyFilter] { [.path(of: .people())] }
}

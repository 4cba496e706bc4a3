import PigeonREST
import Testing

@Suite("Changes of sections")
struct SectionChangesTests {
    private typealias Section = ListSection<String, Int>

    private func changes(_ old: [Section], _ new: [Section]) -> SectionChanges {
        SectionChanges(from: old, to: new) { ListChanges(from: $0, to: $1) }
    }

    private let a = Section(header: "a", items: [1, 2])
    private let b = Section(header: "b", items: [3])
    private let c = Section(header: "c", items: [])

    @Test("Nothing changes when nothing does")
    func same() {
        #expect(changes([a, b], [a, b]).isEmpty)
    }

    @Test("A section that comes or goes does not have the others shown anew")
    func comeAndGo() {
        #expect(changes([a, b], [c, a, b]) == SectionChanges(insertions: [0]))
        #expect(changes([a, b, c], [a, c]) == SectionChanges(removals: [1]))
    }

    @Test("Items change within their section, also when it has another place")
    func inner() {
        var changed = a
        changed.items = [2, 5]
        #expect(
            changes([a, b], [c, changed, b])
                == SectionChanges(
                    insertions: [0],
                    inner: [.init(from: 0, to: 1, changes: ListChanges(removals: [0], insertions: [1]))]))
    }

    @Test("A section with another header or footer is shown anew as a whole")
    func reload() {
        var (header, footer) = (a, b)
        header.header = "another"
        header.items = [7]
        footer.footer = "end"
        #expect(changes([a, b, c], [header, footer, c]) == SectionChanges(reloads: [0, 1]))
    }

    @Test("A section that changes its place goes and comes again; the others stay")
    func move() {
        #expect(changes([a, b, c], [c, a, b]) == SectionChanges(removals: [2], insertions: [0]))
    }
}

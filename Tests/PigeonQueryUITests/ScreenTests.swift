import PigeonQueryUI
import PigeonTesting
import SwiftUI
import TestSupport
import Testing
import ViewSupport

#if canImport(UIKit)
    import UIKit
#endif

@Suite("Screens over queries alone, in a window")
@MainActor
struct ScreenTests {
    let stage = Stage()

    @Test("a report names the lines of the properties that observe", .rule("A71"))
    func places() async throws {
        struct NameView: View {
            @UseQuery(.value("name")) var name: Snapshot<String>
            @UseSelection(QueryDefinition<String>.value("name"), select: { $0.count }) var count: Snapshot<Int>
            static let line = #line

            var body: some View { Probe("\(name.value ?? "") \(count.value ?? 0)") }
        }
        let client = stage.lab.client
        try client.set("Ann", for: .value("name"))
        let host = stage.host { NameView() }
        #expect(await stage.shows(["Ann 3"], in: host))
        let places = client.report(of: "name")?.observers.compactMap(\.place).sorted()
        #expect(places == [2, 1].map { "\(#fileID):\(NameView.line - $0)" })
        host.close()
    }

    #if canImport(UIKit)
        @Test func `a table shows the list of a query`() async {
            let (lab, people) = (stage.lab, QueryDefinition<[Person]>("people") { _ in [ann] })
            let table = UITableView()
            let rows = TableViewItemsController<Person> { _, _, _ in
                UITableViewCell(style: .default, reuseIdentifier: nil)
            }
            let controller = QueryCollectionController(
                tableView: table, items: rows, query: Query(people, client: lab.client))
            await until {
                lab.settle()
                return rows.item(at: IndexPath(row: 0, section: 0))?.name == "Ann"
            }
            withExtendedLifetime(controller) {}
        }
    #endif
}

import SwiftUI
import Testing

@MainActor
struct `Pages, sheets and tabs` {
    private final class Log {
        var lines: [String] = []
    }

    private struct Detail: View {
        @Environment(\.dismiss) private var dismiss
        @State private var count = 0
        let name: String

        var body: some View {
            Text("About \(name)")
            Button("Done \(count)") { dismiss() }
            Button("Add") { count += 1 }
        }
    }

    @Test func `A link pushes its destination, and one goes back to the root as it was`() {
        let log = Log()
        let screen = Screen {
            NavigationView {
                List {
                    NavigationLink("Ann", destination: Detail(name: "Ann").navigationBarTitle("Person"))
                }
                .onAppear { log.lines.append("on") }
                .onDisappear { log.lines.append("off") }
                .navigationTitle("People")
            }
        }
        #expect(screen.text == "# People\nList\n  Ann >")
        screen.tap("Ann")
        #expect(screen.text == "# Person\nAbout Ann\n[Done 0]\n[Add]")
        #expect(log.lines == ["on", "off"])
        screen.tap("Add")
        screen.rebuild()
        #expect(screen.text == "# Person\nAbout Ann\n[Done 1]\n[Add]")
        #expect(screen.goBack())
        #expect(screen.text == "# People\nList\n  Ann >")
        #expect(log.lines == ["on", "off", "on"])
        #expect(!screen.goBack())
    }

    private struct Stack: View {
        @State private var path: [Int] = []

        var body: some View {
            NavigationStack(path: $path) {
                Text("depth \(path.count)")
                NavigationLink("Seven", value: 7)
                    .navigationDestination(for: Int.self) { number in
                        Detail(name: "\(number) of \(path.count)")
                    }
            }
        }
    }

    @Test func `A value is shown by the destination for its type, and the path follows`() {
        let screen = Screen { Stack() }
        screen.tap("Seven")
        #expect(screen.text == "About 7 of 1\n[Done 0]\n[Add]")
        screen.tap("Done 0")
        #expect(screen.text == "depth 0\nSeven >")
    }

    @Test func `A value is shown without a path too`() {
        let screen = Screen {
            NavigationStack {
                NavigationLink(value: "a") { Text("Go") }
                    .navigationDestination(for: String.self) { Text("page \($0)") }
                    .navigationTitle("Root")
            }
        }
        screen.tap("Go")
        #expect(screen.text == "page a")
        screen.goBack()
        #expect(screen.text == "# Root\nGo >")
    }

    private struct Presenter: View {
        @State private var isShown = false
        @State private var isWarned = false
        @State private var answer = ""

        var body: some View {
            Button("Show") { isShown = true }
                .sheet(isPresented: $isShown) { Detail(name: "sheet") }
            Button("Warn") { isWarned = true }
                .alert("Sure?", isPresented: $isWarned) {
                    Button("Yes") { answer = "yes" }
                    Button("No", role: .cancel) {}
                } message: {
                    Text("It is final")
                }
            Text("answer: \(answer)")
        }
    }

    @Test func `A sheet stands below the rest until it is closed`() {
        let screen = Screen { Presenter() }
        screen.tap("Show")
        #expect(screen.text.hasSuffix("answer: \nSheet\n  About sheet\n  [Done 0]\n  [Add]"))
        screen.tap("Done 0")
        #expect(screen.text == "[Show]\n[Warn]\nanswer: ")
        screen.tap("Show")
        screen.goBack()
        #expect(screen.text == "[Show]\n[Warn]\nanswer: ")
    }

    @Test func `An alert goes away with the answer`() {
        let screen = Screen { Presenter() }
        screen.tap("Warn")
        #expect(screen.text.hasSuffix("Alert\n  Sure?\n  It is final\n  [Yes]\n  [No]"))
        screen.tap("Yes")
        #expect(screen.text == "[Show]\n[Warn]\nanswer: yes")
    }

    @Test func `One tab is shown, and the others keep their state`() {
        let screen = Screen {
            TabView {
                Detail(name: "one").tabItem { Label("One", systemImage: "1.circle") }
                Text("second").tabItem { Text("Two") }
            }
        }
        screen.tap("Add")
        #expect(screen.text == "About one\n[Done 1]\n[Add]\n{One}  Two")
        screen.tap("Two")
        #expect(screen.text == "second\nOne  {Two}")
        screen.tap("One")
        #expect(screen.text == "About one\n[Done 1]\n[Add]\n{One}  Two")
    }

    private struct Settings: View {
        @State private var isOn = false
        @State private var query = ""
        @State private var taps = 0

        var body: some View {
            Form {
                Toggle("Sound", isOn: $isOn)
                Text("tapped \(taps)").onTapGesture { taps += 1 }
                    .swipeActions { Button("Delete") { taps = 10 } }
                Button {
                    taps += 100
                } label: {
                    Image(systemName: "x")
                }.accessibilityLabel("Hundred")
                Button("Never") { taps = -1 }.disabled(true)
            }
            .searchable(text: $query, prompt: "Find")
            .onSubmit(of: .search) { taps += 1000 }
            .toolbar {
                ToolbarItem(placement: .primaryAction) { Button("Save") {} }
                ToolbarItem { Button("Edit") {} }
            }
        }
    }

    @Test func `Controls do what they say`() {
        let screen = Screen { Settings() }
        screen.toggle("Sound")
        screen.type("abc", into: "Find")
        #expect(
            screen.text == """
                [Save]  [Edit]
                Find: |abc|
                Form
                  [x] Sound
                  tapped 0
                  [<x>]
                  [Never] (disabled)
                """)
        screen.tap("tapped 0")
        #expect(screen.text.contains("tapped 1"))
        screen.tap("Delete")
        screen.tap("Hundred")
        screen.submit("Find")
        #expect(screen.text.contains("tapped 1110"))
        #expect(!screen.tap("Never"))
        #expect(!screen.tap("Nothing"))
    }

    @Test func `What is swiped away or pushed away cannot be tapped`() {
        let screen = Screen {
            NavigationStack {
                NavigationLink("Go") { Text("page") }
                Button("Below") {}
            }
        }
        #expect(screen.tap("Below"))
        screen.tap("Go")
        #expect(!screen.tap("Below"))
    }
}

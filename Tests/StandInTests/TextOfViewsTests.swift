import Foundation
import SwiftUI
import Testing

@MainActor
struct `The text of views` {
    private struct Row: Identifiable {
        let id: Int
        var name: String { "Row \(id)" }
    }

    @Test func `Stacks are lines, and children of an HStack stand beside each other`() {
        let name = "world"
        let screen = Screen {
            VStack(alignment: .leading, spacing: 4) {
                Text("Hello \(name)")
                HStack {
                    Image(systemName: "star")
                    Text(verbatim: "b")
                    Spacer()
                    Button("Go") {}
                }
                Group {
                    Divider()
                    EmptyView()
                }
                if name.isEmpty { Text("never") }
            }
            .padding()
        }
        #expect(screen.text == "Hello world\n<star>  b  [Go]\n---")
    }

    @Test func `A list has its rows below, a section its header above them`() {
        let screen = Screen {
            List {
                Text("first")
                Section("Head") {
                    ForEach([Row(id: 1), Row(id: 2)]) { Text($0.name) }
                }
                Section {
                    Text("x")
                } footer: {
                    Text("foot")
                }
            }
        }
        #expect(
            screen.text == """
                List
                  first
                  Head
                    Row 1
                    Row 2
                  x
                  foot
                """)
    }

    @Test func `Lists are made of data, by identifier or by key path`() {
        let screen = Screen {
            List([Row(id: 1)]) { Text($0.name) }
            List(["a"], id: \.self) { Text($0) }
            List(0..<2) { Text("\($0)") }
        }
        #expect(screen.text == "List\n  Row 1\nList\n  a\nList\n  0\n  1")
    }

    @Test func `Controls show their state`() {
        let screen = Screen {
            ProgressView()
            ProgressView("Loading")
            ProgressView(value: 0.25)
            TextField("Name", text: .constant("Ann"))
            SecureField("Key", text: .constant("abc"))
            Toggle("On", isOn: .constant(true))
            Toggle("Off", isOn: .constant(false))
            Button("Stop", role: .destructive) {}.disabled(true)
            Label("Title", systemImage: "star")
            Picker("Pick", selection: .constant(1)) {
                Text("one").tag(1)
                Text("two").tag(2)
            }
        }
        #expect(
            screen.text == """
                (progress)
                (progress: Loading)
                (progress: 25%)
                Name: |Ann|
                Key: |•••|
                [x] On
                [ ] Off
                [Stop] (disabled)
                Title
                Pick
                  (x) one
                  ( ) two
                """)
    }

    @Test func `What is hidden is not shown, and what is redacted is dots`() {
        let screen = Screen {
            Text("gone").opacity(0)
            Text("there").opacity(0.5)
            Text("secret").redacted(reason: .placeholder)
            Text("a").overlay { Text("over") }.background { Text("under") }
        }
        #expect(screen.text == "there\n···\nunder\na\nover")
    }

    @Test func `An empty state shows its label, its description and its actions`() {
        let screen = Screen {
            ContentUnavailableView {
                Label("Nothing", systemImage: "tray")
            } description: {
                Text("Try later")
            } actions: {
                Button("Retry") {}
            }
            ContentUnavailableView("None", systemImage: "tray", description: Text("At all"))
        }
        #expect(screen.text == "Nothing\nTry later\n[Retry]\nNone\nAt all")
    }

    private struct Settings: View {
        @AppStorage("name") private var name = "Ann"
        @ScaledMetric private var side: CGFloat = 40
        var body: some View {
            TextField("Name", text: $name)
            Text("\(Int(side))")
        }
    }

    @Test func `Settings are shared and kept, and sizes grow with the text`() throws {
        let suite = "StandInTests.\(UUID().uuidString)"
        let store = try #require(UserDefaults(suiteName: suite))
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let screen = Screen {
            VStack {
                Settings()
                Settings().environment(\.dynamicTypeSize, .xxxLarge)
            }
            .defaultAppStorage(store)
        }
        #expect(screen.text == "Name: |Ann|\n40\nName: |Ann|\n70")
        screen.type("Bea", into: "Name")
        #expect(screen.text == "Name: |Bea|\n40\nName: |Bea|\n70")
        #expect(Screen { Settings().defaultAppStorage(store) }.text == "Name: |Bea|\n40")
    }

    @Test func `A tab has a badge, content a label, and a view its colour scheme`() {
        let screen = Screen {
            TabView {
                LabeledContent("Name", value: "Ann").tabItem { Text("One") }.badge(2)
                Text("two").tabItem { Text("Two") }.badge(0)
            }
            .preferredColorScheme(.dark)
        }
        #expect(screen.text == "Name: Ann\n{One (2)}  Two")
        #expect(screen.colorScheme == .dark)
        #expect(screen.spoken.contains("Name, Ann"))
    }

    private struct Asking: View {
        @State private var isAsking = false
        @State private var count = 0
        var body: some View {
            Button("Leave") { isAsking = true }
            Text("\(count)")
                .alert("Leave?", isPresented: $isAsking) { Button("Leave") { count += 1 } }
        }
    }

    @Test func `Behind an alert, nothing can be tapped`() {
        let screen = Screen { Asking() }
        screen.tap("Leave")
        screen.tap("Leave")
        #expect(screen.text == "[Leave]\n1")
    }
}

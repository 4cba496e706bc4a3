@preconcurrency import OpenCombine
import SwiftUI
import Testing

@MainActor
struct `Views act when they come and go` {
    private final class Log {
        var lines: [String] = []
        func callAsFunction(_ line: String) { lines.append(line) }
    }

    private struct Toggled: View {
        @State private var isOn = true
        let log: Log

        var body: some View {
            Button("Switch") { isOn.toggle() }
            if isOn {
                VStack { Text("in").onAppear { log("inner on") }.onDisappear { log("inner off") } }
                    .onAppear { log("outer on") }
                    .onDisappear { log("outer off") }
            } else {
                Text("out").onAppear { log("other on") }
            }
        }
    }

    @Test func `A view appears once, whatever is evaluated, and disappears once`() {
        let log = Log()
        let screen = Screen { Toggled(log: log) }
        screen.rebuild()
        screen.update()
        #expect(log.lines == ["inner on", "outer on"])
        screen.tap("Switch")
        #expect(log.lines == ["inner on", "outer on", "other on", "inner off", "outer off"])
        screen.close()
        #expect(log.lines.count == 5)
        #expect(screen.text.isEmpty)
    }

    private struct Guest: View {
        @State private var isThere = true
        let log: Log

        var body: some View {
            Button("Leave") { isThere = false }
            if isThere {
                Text("guest").onAppear { log("on") }.onDisappear { log("off") }
            }
        }
    }

    @Test func `A view behind a condition appears once and disappears once`() {
        let log = Log()
        let screen = Screen { Guest(log: log) }
        screen.tap("Leave")
        #expect(log.lines == ["on", "off"])
        #expect(screen.text == "[Leave]")
    }

    private struct Worker: View {
        @State private var id = 0
        @State private var isThere = true
        let log: Log

        var body: some View {
            Button("Next") { id += 1 }
            Button("Leave") { isThere = false }
            Text("id \(id)")
            if isThere {
                Text("work").task(id: id) {
                    let id = id
                    log("start \(id)")
                    await Self.untilCancelled()
                    log("end \(id)")
                }
            }
        }

        private static func untilCancelled() async {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
        }
    }

    @Test func `A task starts anew when its id changes, and is cancelled when its view leaves`() async {
        let log = Log()
        let screen = Screen { Worker(log: log) }
        #expect(await screen.wait { _ in log.lines == ["start 0"] })
        screen.rebuild()
        screen.tap("Next")
        #expect(await screen.wait { _ in log.lines.count == 3 })
        #expect(Set(log.lines) == ["start 0", "end 0", "start 1"])
        screen.tap("Leave")
        #expect(await screen.wait { _ in log.lines.count == 4 })
        #expect(log.lines.last == "end 1")
    }

    @Test func `A task that nobody started anew runs once and is cancelled by the end of the screen`() async {
        let log = Log()
        let screen = Screen {
            Text("a").task {
                log("start")
                while !Task.isCancelled { await Task.yield() }
                log("end")
            }
        }
        screen.rebuild()
        #expect(await screen.wait { _ in log.lines == ["start"] })
        screen.close()
        #expect(await screen.wait { _ in log.lines == ["start", "end"] })
    }

    @Test func `A task is cancelled while a page covers its view, and starts again behind it`() async {
        let log = Log()
        let screen = Screen {
            NavigationStack {
                NavigationLink("Go") { Text("page") }.task {
                    log("start")
                    while !Task.isCancelled { await Task.yield() }
                    log("end")
                }
            }
        }
        #expect(await screen.wait { _ in log.lines == ["start"] })
        screen.tap("Go")
        #expect(await screen.wait { _ in log.lines == ["start", "end"] })
        screen.goBack()
        #expect(await screen.wait { _ in log.lines == ["start", "end", "start"] })
        screen.close()
        #expect(await screen.wait { _ in log.lines == ["start", "end", "start", "end"] })
    }

    private struct Watcher: View {
        @State private var count = 0
        let log: Log

        var body: some View {
            Button("Add \(count)") { count += 1 }
                .onChange(of: count) { old, new in log("\(old) to \(new)") }
                .onChange(of: count, initial: true) { log("now \(count)") }
        }
    }

    @Test func `A change is told with both values, once`() {
        let log = Log()
        let screen = Screen { Watcher(log: log) }
        #expect(log.lines == ["now 0"])
        screen.rebuild()
        screen.tap("Add 0")
        #expect(Set(log.lines.dropFirst()) == ["0 to 1", "now 1"])
        #expect(log.lines.count == 3)
    }

    @Test func `What a publisher sends is received while the view is there`() {
        let log = Log()
        let subject = PassthroughSubject<Int, Never>()
        let screen = Screen { Text("a").onReceive(subject) { log("\($0)") } }
        subject.send(1)
        screen.rebuild()
        subject.send(2)
        screen.close()
        subject.send(3)
        #expect(log.lines == ["1", "2"])
    }

    @Test func `Rows appear as far as there is room`() {
        let log = Log()
        let screen = Screen(visibleRows: 2) {
            List {
                Section("Head") {
                    ForEach(0..<5) { number in
                        Text("\(number)").onAppear { log("\(number)") }
                    }
                }
                ProgressView().onAppear { log("end") }
            }
        }
        #expect(log.lines == ["0", "1"])
        #expect(screen.text == "List\n  Head\n    0\n    1")
        screen.scrollDown(by: 2)
        #expect(log.lines == ["0", "1", "2", "3"])
        screen.rebuild()
        #expect(log.lines.count == 4)
        screen.scrollDown(by: 5)
        #expect(log.lines == ["0", "1", "2", "3", "4", "end"])
        #expect(screen.text == "List\n  Head\n    0\n    1\n    2\n    3\n    4\n  (progress)")
    }

    private struct Growing: View {
        @State private var names = ["a", "b"]
        let log: Log

        var body: some View {
            Button("Add") { names.insert("new", at: 0) }
            List {
                ForEach(names, id: \.self) { name in row(name) }
                row("end")
            }
        }

        private func row(_ name: String) -> some View {
            Text(name).onAppear { log("\(name) on") }.onDisappear { log("\(name) off") }
        }
    }

    @Test func `Rows that new ones push below the edge disappear, and appear again when there is room`() {
        let log = Log()
        let screen = Screen(visibleRows: 3) { Growing(log: log) }
        #expect(log.lines == ["a on", "b on", "end on"])
        screen.tap("Add")
        #expect(log.lines.dropFirst(3) == ["new on", "end off"])
        #expect(screen.text == "[Add]\nList\n  new\n  a\n  b")
        screen.scrollDown(by: 1)
        #expect(log.lines.dropFirst(5) == ["end on"])
        #expect(screen.text == "[Add]\nList\n  new\n  a\n  b\n  end")
    }

    private struct Arriving: View {
        @State private var names: [String] = []
        let log: Log

        var body: some View {
            Button("Load") { names = ["a", "b"] }
            List {
                ForEach(names, id: \.self) { Text($0) }
                if !names.isEmpty { Text("end").onAppear { log("end on") }.onDisappear { log("end off") } }
            }
        }
    }

    @Test func `A view that arrives in a row below the edge appears when there is room`() {
        let log = Log()
        let screen = Screen(visibleRows: 2) { Arriving(log: log) }
        screen.tap("Load")
        #expect(log.lines.isEmpty)
        screen.scrollDown(by: 1)
        #expect(log.lines == ["end on"])
    }

    @Test func `Rows of a lazy stack appear as far as there is room`() {
        let screen = Screen(visibleRows: 1) {
            ScrollView { LazyVStack { ForEach(["a", "b"], id: \.self) { Text($0) } } }
        }
        #expect(screen.text == "a")
        screen.scrollDown(by: 1)
        #expect(screen.text == "a\nb")
    }

    private struct Fresh: View {
        @State private var count = 0

        var body: some View {
            List { Text("\(count)") }.refreshable { await add() }
        }

        private func add() async {
            await Task.yield()
            count += 1
        }
    }

    @Test func `Pulling down refreshes, and returns when that is done`() async {
        let screen = Screen { Fresh() }
        #expect(await screen.pullToRefresh())
        #expect(screen.text == "List\n  1")
    }

    @Test func `What cannot be refreshed is not`() async {
        let screen = Screen { List { Text("a") } }
        #expect(await screen.pullToRefresh() == false)
    }
}

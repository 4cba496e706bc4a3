import SwiftUI
import Testing

@MainActor
struct `State lives as long as its view` {
    private struct Counter: View {
        @State private var count = 0
        let name: String

        var body: some View {
            Button("\(name) \(count)") { count += 1 }
        }
    }

    @Test func `A state outlives a rebuild of the view that has it`() {
        let screen = Screen { Counter(name: "a") }
        screen.tap("a 0")
        screen.rebuild()
        #expect(screen.text == "[a 1]")
        #expect(screen.renders(of: Counter.self) == 3)
    }

    @Test func `One view value at two places has two states`() {
        let counter = Counter(name: "a")
        let screen = Screen {
            counter
            counter
        }
        screen.tap("a 0")
        #expect(screen.text == "[a 1]\n[a 0]")
    }

    private struct Branches: View {
        @State private var isFirst = true

        var body: some View {
            Button("Switch") { isFirst.toggle() }
            if isFirst { Counter(name: "yes") } else { Counter(name: "no") }
        }
    }

    @Test func `A state begins anew in another branch`() {
        let screen = Screen { Branches() }
        screen.tap("yes 0")
        #expect(screen.text == "[Switch]\n[yes 1]")
        screen.tap("Switch")
        #expect(screen.text == "[Switch]\n[no 0]")
        screen.tap("Switch")
        #expect(screen.text == "[Switch]\n[yes 0]")
    }

    private struct Numbered: View {
        @State private var id = 0

        var body: some View {
            Button("Next") { id += 1 }
            Counter(name: "c").id(id)
        }
    }

    @Test func `A state begins anew with another id`() {
        let screen = Screen { Numbered() }
        screen.tap("c 0")
        screen.tap("Next")
        #expect(screen.text == "[Next]\n[c 0]")
    }

    private struct Names: View {
        @State private var names = ["a", "b"]

        var body: some View {
            Button("Turn") { names.reverse() }
            ForEach(names, id: \.self) { Counter(name: $0) }
        }
    }

    @Test func `A state follows its element through a change of order`() {
        let screen = Screen { Names() }
        screen.tap("a 0")
        screen.tap("Turn")
        #expect(screen.text == "[Turn]\n[b 0]\n[a 1]")
    }

    /// Another type with the same properties.
    private struct Twin: View {
        @State private var count = 0
        let name: String

        var body: some View { Text("\(name) \(count)") }
    }

    private struct Erased: View {
        @State private var isPlain = true

        var body: some View {
            Button("Switch") { isPlain.toggle() }
            isPlain ? AnyView(Counter(name: "c")) : AnyView(Twin(name: "c"))
        }
    }

    @Test func `A state begins anew when the type inside an AnyView changes`() {
        let screen = Screen { Erased() }
        screen.tap("c 0")
        screen.tap("Switch")
        #expect(screen.text == "[Switch]\nc 0")
    }

    private struct Chooser: View {
        let model: Switches

        var body: some View { Text(model.isDetailed ? "detail \(model.detail)" : "short") }
    }

    @Observable
    fileprivate final class Switches {
        var isDetailed = true
        var detail = 0
    }

    private struct Folding: View {
        @Binding var isOpen: Bool
        @Binding var detail: Int

        var body: some View { Text(isOpen ? "open \(detail)" : "shut") }
    }

    private struct Folder: View {
        @State private var isOpen = true
        @State private var detail = 0

        var body: some View {
            Button("Fold") { isOpen = false }
            Button("Count") { detail += 1 }
            Folding(isOpen: $isOpen, detail: $detail)
        }
    }

    @Test func `What a body no longer reads does not have it evaluated`() {
        let screen = Screen { Folder() }
        screen.tap("Count")
        screen.tap("Fold")
        #expect(screen.renders(of: Folding.self) == 3)
        screen.tap("Count")
        #expect(screen.renders(of: Folding.self) == 3)

        let model = Switches()
        let other = Screen { Chooser(model: model) }
        model.isDetailed = false
        other.update()
        model.detail = 1
        other.update()
        #expect(other.renders(of: Chooser.self) == 2)
    }
}

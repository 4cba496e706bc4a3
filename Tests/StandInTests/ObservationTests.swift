@preconcurrency import OpenCombine
import SwiftUI
import TestSupport
import Testing

@MainActor
struct `A body is evaluated again when what it depends on changes` {
    @MainActor
    private final class Model: ObservableObject {
        static var made = 0
        @Published var count = 0
        init() { Self.made += 1 }
    }

    private struct Owner: View {
        @StateObject private var model = Model()
        let name: String

        var body: some View {
            Text("\(name) \(model.count)")
            Button("Count") { model.count += 1 }
            Rest()
        }
    }

    private struct Rest: View {
        var body: some View { Text("rest") }
    }

    @Test func `A state object is made once for an identity`() {
        let before = Model.made
        let screen = Screen { Owner(name: "a") }
        screen.tap("Count")
        screen.rebuild()
        #expect(screen.text == "a 1\n[Count]\nrest")
        #expect(Model.made == before + 1)
    }

    private struct Follower: View {
        @ObservedObject var model: Model

        var body: some View { Text("\(model.count)") }
    }

    @Test func `A change of an observed object waits for the update`() {
        let model = Model()
        let screen = Screen { Follower(model: model) }
        model.count = 1
        model.count = 2
        #expect(screen.text == "0")
        screen.update()
        #expect(screen.text == "2")
        #expect(screen.renders(of: Follower.self) == 2)
        screen.update()
        #expect(screen.renders(of: Follower.self) == 2)
    }

    private struct Maker: View {
        @ObservedObject var model = Model()

        var body: some View {
            Text("\(model.count)")
            Button("Count") { model.count += 1 }
        }
    }

    @Test func `An observed object that the view makes itself is made anew with the view`() {
        let before = Model.made
        let screen = Screen { Maker() }
        screen.tap("Count")
        #expect(screen.text == "1\n[Count]")
        screen.rebuild()
        #expect(screen.text == "0\n[Count]")
        #expect(Model.made == before + 2)
    }

    @Test func `The object that was replaced is no longer followed`() {
        let first = Model()
        let second = Model()
        var model = first
        let screen = Screen { Follower(model: model) }
        model = second
        screen.rebuild()
        first.count = 1
        screen.update()
        #expect(screen.renders(of: Follower.self) == 2)
        second.count = 5
        screen.update()
        #expect(screen.text == "5")
    }

    private struct Editor: View {
        @ObservedObject var model: Model

        var body: some View {
            Child(count: $model.count)
        }
    }

    private struct Child: View {
        @Binding var count: Int

        var body: some View { Button("Add \(count)") { count += 1 } }
    }

    @Test func `The projection of an object makes bindings to its properties`() {
        let model = Model()
        let screen = Screen { Editor(model: model) }
        screen.tap("Add 0")
        #expect(model.count == 1)
        #expect(screen.text == "[Add 1]")
    }

    private struct Parent: View {
        @State private var count = 0

        var body: some View { Child(count: $count) }
    }

    @Test func `A parent that only hands its state on is not evaluated when the state changes`() {
        let screen = Screen { Parent() }
        screen.tap("Add 0")
        #expect(screen.text == "[Add 1]")
        #expect(screen.renders(of: Parent.self) == 1)
        #expect(screen.renders(of: Child.self) == 2)
    }

    @Observable
    fileprivate final class Person {
        var name = "Ann"
        var age = 1
    }

    private struct Card: View {
        let person: Person

        var body: some View {
            Text(person.name)
            Age(person: person)
        }
    }

    private struct Age: View {
        @Bindable var person: Person

        var body: some View {
            TextField("Name", text: $person.name)
            Text("\(person.age)")
        }
    }

    @Test func `Only the bodies that read an observable property are evaluated when it changes`() {
        let person = Person()
        let screen = Screen { Card(person: person) }
        person.age = 2
        screen.update()
        #expect(screen.text == "Ann\nName: |Ann|\n2")
        #expect(screen.renders(of: Card.self) == 1)
        #expect(screen.renders(of: Age.self) == 2)
        screen.type("Bob", into: "Name")
        #expect(person.name == "Bob")
        #expect(screen.text == "Bob\nName: |Bob|\n2")
    }

    @Test func `A row is evaluated by itself when only it read what changed`() {
        let people = [Person(), Person()]
        let screen = Screen {
            List(0..<2) { index in
                Text(people[index].name)
            }
        }
        people[1].name = "Bob"
        screen.update()
        #expect(screen.text == "List\n  Ann\n  Bob")
    }

    @Test func `A state is freed with its view, and so is what it follows`() {
        weak var freed: Model?
        do {
            let model = Model()
            freed = model
            let screen = Screen { Holder(model: model) }
            screen.close()
        }
        #expect(freed == nil)
    }

    private struct Holder: View {
        @StateObject private var model: Model

        init(model: Model) {
            _model = StateObject(wrappedValue: model)
        }

        var body: some View { Text("\(model.count)") }
    }

    private struct Keeper: View {
        @State private var isOpen = true
        let told: (Model) -> Void

        var body: some View {
            Button("Shut") { isOpen = false }
            if isOpen { Inner(told: told) }
        }
    }

    private struct Inner: View {
        @StateObject private var model = Model()
        let told: (Model) -> Void

        var body: some View {
            Text("inner").onAppear { told(model) }.onDisappear {}
        }
    }

    @Test func `A state object is freed when its view is removed`() {
        weak var freed: Model?
        let screen = Screen { Keeper { freed = $0 } }
        #expect(freed != nil)
        screen.tap("Shut")
        #expect(freed == nil)
    }

    /// A wrapper that hands its state object on with itself.
    @MainActor
    @propertyWrapper
    private struct Counted: DynamicProperty {
        @StateObject private var model = Model()

        var wrappedValue: Int { model.count }
        var projectedValue: Self { self }

        func count() { model.count += 1 }
    }

    private struct Giver: View {
        @Counted private var count

        var body: some View {
            Taker(count: $count)
            Taker(count: Counted())
        }
    }

    private struct Taker: View {
        @Counted private var count

        init(count: Counted) { _count = count }

        var body: some View { Button("Count \(count)", action: $count.count) }
    }

    @Test(.rule("X4")) func `A state object that comes installed is shared with the view that passed it on`() {
        let before = Model.made
        let screen = Screen { Giver() }
        #expect(screen.text == "[Count 0]\n[Count 0]")
        #expect(Model.made == before + 2, "of the giver and its first taker, and of the second")
        screen.tap("Count 0")
        #expect(screen.text == "[Count 1]\n[Count 0]")
        #expect(screen.renders(of: Giver.self) == 2, "it is told of its object's changes, though it reads nothing")
    }

    /// Changes another object while it is made, and while it is freed.
    @MainActor
    private final class Meddler: ObservableObject {
        private let model: Model

        init(_ model: Model) {
            self.model = model
            model.count += 1
        }

        isolated deinit {
            model.count += 1
        }
    }

    private struct Meddling: View {
        @StateObject private var meddler: Meddler

        init(_ model: Model) {
            _meddler = StateObject(wrappedValue: Meddler(model))
        }

        var body: some View { Text("meddling") }
    }

    private struct Host: View {
        @ObservedObject var model: Model
        @State private var isOpen = false

        var body: some View {
            Text("\(model.count)")
            Button("Switch") { isOpen.toggle() }
            if isOpen {
                Meddling(model).onAppear { model.count += 1 }
            }
        }
    }

    @Test(.rule("X3")) func `A change by an object that an update makes or frees is untimely, one by an action is not`()
    {
        let screen = Screen { Host(model: Model()) }
        screen.tap("Switch")
        #expect(screen.text == "2\n[Switch]\nmeddling")
        #expect(screen.untimelyChanges == 1)
        screen.tap("Switch")
        #expect(screen.text == "3\n[Switch]")
        #expect(screen.untimelyChanges == 2)
    }
}

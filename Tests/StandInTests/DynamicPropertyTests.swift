@preconcurrency import OpenCombine
import SwiftUI
import Testing

private enum StepKey: EnvironmentKey {
    static let defaultValue = 1
}

private final class Box {
    let name: String
    init(_ name: String) { self.name = name }
}

private enum BoxKey: EnvironmentKey {
    static var defaultValue: Box? { nil }
}

extension EnvironmentValues {
    fileprivate var step: Int {
        get { self[StepKey.self] }
        set { self[StepKey.self] = newValue }
    }

    fileprivate var box: Box? {
        get { self[BoxKey.self] }
        set { self[BoxKey.self] = newValue }
    }
}

@MainActor
struct `Properties inside properties are installed` {
    fileprivate final class Model: ObservableObject {
        @Published var total = 0
    }

    @MainActor
    @propertyWrapper
    fileprivate struct Stepper: @preconcurrency DynamicProperty {
        @StateObject private var model = Model()
        @State private var presses = 0
        @Environment(\.step) private var step
        private var updates = 0

        var wrappedValue: String { "\(model.total) after \(presses), updated \(updates)" }

        var projectedValue: Stepper { self }

        func press() {
            presses += 1
            model.total += step
        }

        mutating func update() {
            updates += step
        }
    }

    private struct Pad: View {
        @Stepper private var stepper

        var body: some View { Button(stepper) { $stepper.press() } }
    }

    @Test func `A wrapper keeps its own state and reads the environment before its update is called`() {
        let screen = Screen { Pad().environment(\.step, 3) }
        #expect(screen.text == "[0 after 0, updated 3]")
        screen.tap("0 after 0, updated 3")
        #expect(screen.text == "[3 after 1, updated 3]")
        screen.rebuild()
        #expect(screen.text == "[3 after 1, updated 3]")
    }

    private struct Phase: View {
        @Environment(\.scenePhase) private var phase

        var body: some View { Text("\(phase)") }
    }

    private struct Plain: View {
        @Environment(\.step) private var step

        var body: some View {
            Text("\(step)")
            Phase()
        }
    }

    @Test func `Only bodies that read a value of the environment are evaluated when it changes`() {
        let screen = Screen { Plain() }
        screen.setScenePhase(.background)
        #expect(screen.text == "1\nbackground")
        #expect(screen.renders(of: Plain.self) == 1)
        #expect(screen.renders(of: Phase.self) == 2)
        screen.setScenePhase(.background)
        #expect(screen.renders(of: Phase.self) == 2)
    }

    private struct Named: View {
        @Environment(\.box) private var box

        var body: some View { Text(box?.name ?? "none") }
    }

    @Test func `The environment flows down, and the nearest setting wins`() {
        let screen = Screen {
            Named()
            VStack {
                Named()
                Named().environment(\.box, Box("near"))
            }
            .environment(\.box, Box("far"))
        }
        #expect(screen.text == "none\nfar\nnear")
    }

    @Observable
    fileprivate final class Settings {
        var name = "A"
    }

    private struct Reader: View {
        @Environment(Settings.self) private var settings
        @Environment(Box2.self) private var missing: Box2?
        @EnvironmentObject private var model: Model

        var body: some View { Text("\(settings.name) \(model.total) \(missing == nil)") }
    }

    @Observable
    fileprivate final class Box2 {}

    @Test func `Objects are found in the environment by their type`() {
        let settings = Settings()
        let model = Model()
        let screen = Screen { Reader().environment(settings).environmentObject(model) }
        settings.name = "B"
        model.total = 4
        screen.update()
        #expect(screen.text == "B 4 true")
        #expect(screen.renders(of: Reader.self) == 2)
    }

    private struct Frame: ViewModifier {
        @State private var isOpen = false

        func body(content: Content) -> some View {
            Button(isOpen ? "Close" : "Open") { isOpen.toggle() }
            content.environment(\.step, isOpen ? 7 : 1)
        }
    }

    @Test func `A modifier has a state of its own, and does not make anew what it modifies`() {
        let screen = Screen {
            Plain().modifier(Frame())
        }
        #expect(screen.text == "[Open]\n1\nactive")
        screen.tap("Open")
        #expect(screen.text == "[Close]\n7\nactive")
        #expect(screen.renders(of: Plain.self) == 2)
        #expect(screen.renders(of: Phase.self) == 2)
        screen.rebuild()
        #expect(screen.text == "[Close]\n7\nactive")
    }

    private struct Leaf: View {
        var body: some View { Text("leaf") }
    }

    @Test func `What a modifier modifies is left alone when it depends on nothing that changed`() {
        let screen = Screen { Leaf().modifier(Frame()) }
        screen.tap("Open")
        #expect(screen.text == "[Close]\nleaf")
        #expect(screen.renders(of: Leaf.self) == 1)
    }

    private struct BindingHolder: View {
        @State private var person = (name: "Ann", age: 1)

        var body: some View {
            TextField("Name", text: $person.name)
            TextField(
                "Age", text: Binding(get: { "\(person.age)" }, set: { person.age = Int($0) ?? 0 }))
            Text("\(person.name) \(person.age)")
        }
    }

    @Test func `Bindings lead to members and to functions`() {
        let screen = Screen { BindingHolder() }
        screen.type("Bob", into: "Name")
        screen.type("7", into: "Age")
        #expect(screen.text == "Name: |Bob|\nAge: |7|\nBob 7")
    }
}

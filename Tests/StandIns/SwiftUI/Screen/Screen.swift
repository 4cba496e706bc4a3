/// Shows views as text and lets a test act as the user does.
///
/// How views look: `Text` is its string, `Button` is `[label]` (with ` (disabled)` behind it when it is),
/// `NavigationLink` is `label >`, `Label` is its title, `Image` is `<name>`, `ProgressView` is `(progress)` or
/// `(progress: label)`, `TextField` is `label: |text|`, `SecureField` the same with `•`, `Toggle` is `[x] label` or
/// `[ ] label`, `Divider` is `---`. `List` and `Form` are a line with their name and their rows indented below; the
/// header of a `Section` stands above its rows, which are indented once more if there is one, the footer below.
/// `Picker` is its label with `(x)` or `( )` and a label for each tagged row below. `HStack` joins children of one line
/// with two spaces; other stacks and `Group` are lines. A navigation container shows `# Title` and what is on top, with
/// the toolbar above the view that has it; `TabView` ends with its tabs, the selected one in braces, and badges in parentheses. `searchable` is
/// a field `Search` above its view, `ContentUnavailableView` its label, description and actions as lines. A sheet stands
/// at the end, indented below a line `Sheet`, an alert likewise below `Alert`. What has no opacity is not shown, what is
/// redacted is `···`.
@MainActor
package final class Screen {
    private let engine: Engine
    private let make: () -> any View

    /// Shows a view, with room for a number of rows in each list and lazy stack.
    package init<Content: View>(
        visibleRows: Int = .max, @ViewBuilder _ content: @escaping () -> Content
    ) {
        engine = Engine(room: visibleRows)
        make = { content() }
        engine.show(make())
    }

    /// What is on the screen, with two spaces of indentation for each level.
    package var text: String {
        guard let root = engine.root else { return "" }
        let presented = root.shown.flatMap { node in
            node.presented(.sheet, "Sheet") + node.presented(.alert, "Alert")
        }
        return (root.blocks.flatMap { $0 } + presented).joined(separator: "\n")
    }

    /// All that is on the screen, in the order of the text.
    var nodes: [Node] { engine.root?.shown ?? [] }

    /// Evaluates what changed.
    package func update() {
        engine.settle()
    }

    /// Makes the views anew, as when what is around them changed.
    package func rebuild() {
        engine.show(make())
    }

    /// How often the body of views of a type was evaluated.
    package func renders(of type: any View.Type) -> Int { engine.evaluations(of: type) }

    /// How often an object said that it changes during an update, of this screen or of another: SwiftUI warns of
    /// "publishing changes from within view updates".
    package var untimelyChanges: Int { engine.inbox.untimelyChanges }

    /// How often an object said within an animation that it changes.
    package var animatedChanges: Int { engine.inbox.animatedChanges }

    /// Takes everything off the screen and frees it.
    package func close() {
        engine.close()
    }

    /// Changes the phase of the scene.
    package func setScenePhase(_ phase: ScenePhase) {
        engine.setEnvironment { $0.scenePhase = phase }
    }

    /// The colours that the view at the end of the screen is shown in.
    package var colorScheme: ColorScheme { nodes.last?.surroundings.environment.colorScheme ?? .light }

    /// Makes room for more rows; those above stay.
    package func scrollDown(by rows: Int) {
        let (room, isOver) = engine.room.addingReportingOverflow(rows)
        engine.room = isOver ? .max : room
        engine.settle()
    }
}

extension Screen {
    /// Waits until the text is as wished; false if it is not after ten seconds.
    package func wait(until isReady: (String) -> Bool) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(10))
        while true {
            update()
            if isReady(text) { return true }
            guard clock.now < end else { return false }
            await Task.yield()
            try? await clock.sleep(for: .milliseconds(1))
        }
    }

    /// Pulls the first list or scroll view down that can be refreshed, and waits until it is.
    @discardableResult
    package func pullToRefresh() async -> Bool {
        let refreshed = engine.root?.shown.first { node in
            node.view is any Refreshed && node.surroundings.environment.refresh != nil
        }
        guard let refresh = refreshed?.surroundings.environment.refresh else { return false }
        await refresh()
        update()
        return true
    }
}

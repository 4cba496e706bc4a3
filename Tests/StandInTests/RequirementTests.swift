import Foundation
import TestSupport
import Testing

/// A stand-in that requires less than what it stands for hides that code does not compile on Apple's systems. The compiler is given
/// types and calls that must not compile.
@Suite("Requirements of what the stand-ins stand for")
struct RequirementTests {
    /// A type without its members, and the members that Apple's protocol requires.
    struct Case: CustomTestStringConvertible {
        let name: String
        let type: String
        let members: Set<String>

        init(_ name: String, _ types: String, _ members: String..., isClass: Bool = false) {
            self.name = name
            type = isClass ? "final class Of\(name): NSObject, \(name) {}" : "struct Of\(name): \(name) { \(types) }"
            self.members = Set(members)
        }

        var testDescription: String { name }

        static let all = [
            Case(
                "TimelineProvider", "typealias Entry = OfEntry", "placeholder(in:)", "getSnapshot(in:completion:)",
                "getTimeline(in:completion:)"),
            Case("TimelineEntry", "", "date"),
            Case("View", "typealias Body = EmptyView", "body"),
            Case("ViewModifier", "typealias Body = EmptyView", "body(content:)"),
            Case("App", "typealias Body = WindowGroup<EmptyView>", "body"),
            Case("Scene", "typealias Body = WindowGroup<EmptyView>", "body"),
            Case("ToolbarContent", "typealias Body = ToolbarItem<(), EmptyView>", "body"),
            Case("PreviewProvider", "typealias Previews = EmptyView", "previews"),
            Case("EnvironmentKey", "typealias Value = Int", "defaultValue"),
            Case("PrimitiveButtonStyle", "typealias Body = EmptyView", "makeBody(configuration:)"),
            Case("ProgressViewStyle", "typealias Body = EmptyView", "makeBody(configuration:)"),
            // Only SwiftUI's own styles conform to these: Apple's requirements are not public.
            Case("ListStyle", "", "_look"), Case("PickerStyle", "", "_look"), Case("TextFieldStyle", "", "_look"),
            Case(
                "Layout", "", "sizeThatFits(proposal:subviews:cache:)", "placeSubviews(in:proposal:subviews:cache:)"),
            Case("Shape", "", "path(in:)"),
            // Of functions with one base name, the compiler misses the first.
            Case(
                "UITableViewDataSource", "", "tableView(_:numberOfRowsInSection:)", isClass: true),
            Case(
                "UICollectionViewDataSource", "", "collectionView(_:numberOfItemsInSection:)", isClass: true),
        ]
    }

    /// The members that the compiler misses in each type.
    private static let missing = Result {
        let types = Case.all.map(\.type) + ["struct OfEntry: TimelineEntry { var date: Date }"]
        let text = try errors(of: types.joined(separator: "\n"), "import SwiftUI; import UIKit; import WidgetKit")
        var missing: [String: Set<String>] = [:]
        var name: String?
        for line in text.split(separator: "\n") {
            if let type = line.firstMatch(of: /error: type 'Of\w+' does not conform to protocol '(\w+)'/) {
                name = String(type.output.1)
            } else if let member = line.firstMatch(of: /note: protocol requires (?:function|property) '([^']+)'/),
                let name
            {
                missing[name, default: []].insert(String(member.output.1))
            }
        }
        return missing
    }

    @Test("a type without what a protocol requires does not compile", .rule("K36"), arguments: Case.all)
    func members(of one: Case) throws {
        #expect(try Self.missing.get()[one.name] == one.members)
    }

    @Test("a view without a body does not compile", .rule("K36"))
    func body() throws {
        let text = try Self.errors(of: "struct Empty: View {}", "import SwiftUI")
        #expect(text.contains("type 'Empty' does not conform to protocol 'View'"))
    }

    @Test("a background task is not Sendable, unless the module is imported as older code", .rule("K37"))
    func backgroundTasks() throws {
        let code = """
            func register() {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "news.refresh", using: nil) { task in
                    let work = Task { task.setTaskCompleted(success: !Task.isCancelled) }
                    task.expirationHandler = { work.cancel() }
                }
            }
            """
        let text = try Self.errors(of: code, "import BackgroundTasks")
        #expect(text.contains("closure captures 'task'"))
        #expect(try Self.errors(of: code, "@preconcurrency import BackgroundTasks") == "")
    }

    /// The warnings and errors of the compiler, in Swift 6 mode.
    private static func errors(of code: String, _ imports: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Code.swift")
        try "import Foundation\n\(imports)\n\(code)".write(to: file, atomically: true, encoding: .utf8)
        // The modules of the tests' own build.
        let build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let map = build.appendingPathComponent("COpenCombineHelpers.build/module.modulemap").path
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The checks of what is sent between threads come after the types.
        process.arguments = [
            "swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6", "-diagnostic-style",
            "llvm", "-I", build.appendingPathComponent("Modules").path, "-Xcc", "-fmodule-map-file=\(map)", file.path,
        ]
        process.standardError = errors
        try process.run()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

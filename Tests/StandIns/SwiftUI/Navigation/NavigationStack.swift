/// What all navigation containers do.
@MainActor
enum Navigating {
    /// Plans the root and the pages on top of it; only the last one is on the screen.
    static func plan(_ plan: inout Plan, root: any View, path: [AnyHashable], pages: Pages, version: Int) {
        let count = path.count + pages.pushed.count
        plan.add(root, isCovered: count > 0, version: version, adjust: { $0.pages = pages })
        for (position, value) in path.enumerated() {
            add(ValuePage(value: value), id: AnyHashable("\(position)"), position + 1 < count, pages, &plan)
        }
        for (position, page) in pages.pushed.enumerated() {
            add(page.make(), id: AnyHashable(page.id), path.count + position + 1 < count, pages, &plan)
        }
    }

    private static func add(
        _ view: any View, id: AnyHashable, _ isCovered: Bool, _ pages: Pages, _ plan: inout Plan
    ) {
        plan.add(view, .page, id: id, isCovered: isCovered) { surroundings in
            surroundings.pages = pages
            surroundings.environment.isOnTop = true
            surroundings.environment.dismissAction = DismissAction { _ = pages.pop() }
        }
    }

    static func pages(of node: Node) -> Pages {
        let pages = node.memory as? Pages ?? Pages(handle: node.handle)
        node.memory = pages
        return pages
    }

    /// The title and what is on top.
    static func blocks(of node: Node) -> [Block] {
        guard let page = node.children(.page).last ?? node.children(.content).last else { return [] }
        let title = title(in: page).map { ["# \($0)"] } ?? []
        let lines = title + page.blocks.flatMap { $0 }
        return lines.isEmpty ? [] : [lines]
    }

    private static func title(in node: Node) -> String? {
        if let title = (node.view as? any HasTitle)?.title { return title }
        guard !(node.view is any Left) else { return nil }
        for child in node.children where !child.isWaiting {
            if let title = title(in: child) { return title }
        }
        return nil
    }
}

/// Stands for `SwiftUI.NavigationStack`.
@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
public struct NavigationStack<Data, Root: View>: View {
    /// Stands for `NavigationStack.Body`.
    public typealias Body = Never
    private let root: Root
    private let path: (() -> [AnyHashable])?
    private let append: @MainActor (AnyHashable) -> Bool
    private let removeLast: @MainActor () -> Bool

    /// Stands for `NavigationStack.init(root:)`.
    public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {
        self.root = root()
        path = nil
        append = { _ in false }
        removeLast = { false }
    }

    /// Stands for `NavigationStack.init(path:root:)` with a path of any values.
    public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) where Data == NavigationPath {
        self.root = root()
        self.path = { path.wrappedValue.values }
        append = { value in
            path.wrappedValue.values.append(value)
            return true
        }
        removeLast = {
            guard !path.wrappedValue.isEmpty else { return false }
            path.wrappedValue.removeLast()
            return true
        }
    }

    /// Stands for `NavigationStack.init(path:root:)` with a path of values of one type.
    public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
    where
        Data: MutableCollection, Data: RandomAccessCollection, Data: RangeReplaceableCollection, Data.Element: Hashable
    {
        self.root = root()
        self.path = { path.wrappedValue.map { AnyHashable($0) } }
        append = { value in
            guard let element = value.base as? Data.Element else { return false }
            path.wrappedValue.append(element)
            return true
        }
        removeLast = {
            guard !path.wrappedValue.isEmpty else { return false }
            path.wrappedValue = Data(path.wrappedValue.dropLast())
            return true
        }
    }
}

extension NavigationStack: Drawn, Left {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        let pages = Navigating.pages(of: node)
        pages.append = append
        pages.removeLast = removeLast
        Navigating.plan(&plan, root: root, path: path?() ?? [], pages: pages, version: node.version)
    }

    func blocks(of node: Node) -> [Block] { Navigating.blocks(of: node) }

    func leave(_ node: Node) -> Bool { Navigating.pages(of: node).pop() }
}

/// Stands for `SwiftUI.NavigationPath`.
@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
public struct NavigationPath: Equatable {
    var values: [AnyHashable] = []

    /// Stands for `NavigationPath.init()`.
    public init() {}

    /// Stands for `NavigationPath.count`.
    public var count: Int { values.count }

    /// Stands for `NavigationPath.isEmpty`.
    public var isEmpty: Bool { values.isEmpty }

    /// Stands for `NavigationPath.append(_:)`.
    public mutating func append<V: Hashable>(_ value: V) { values.append(AnyHashable(value)) }

    /// Stands for `NavigationPath.removeLast(_:)`.
    public mutating func removeLast(_ k: Int = 1) { values.removeLast(k) }
}

/// Stands for `SwiftUI.NavigationView`.
public struct NavigationView<Content: View>: View {
    /// Stands for `NavigationView.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `NavigationView.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension NavigationView: Drawn, Left {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        Navigating.plan(&plan, root: content, path: [], pages: Navigating.pages(of: node), version: node.version)
    }

    func blocks(of node: Node) -> [Block] { Navigating.blocks(of: node) }

    func leave(_ node: Node) -> Bool { Navigating.pages(of: node).pop() }
}

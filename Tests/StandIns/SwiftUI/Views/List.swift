/// Stands for `SwiftUI.List`.
public struct List<SelectionValue, Content: View>: View {
    /// Stands for `List.Body`.
    public typealias Body = Never
    private let content: Content

    private init(rows: Content) {
        content = rows
    }
}

extension List where SelectionValue == Never {
    /// Stands for `List.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.init(rows: content())
    }

    /// Stands for `List.init(_:rowContent:)`.
    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        self.init(rows: ForEach(data, content: rowContent))
    }

    /// Stands for `List.init(_:id:rowContent:)`.
    public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, ID, RowContent> {
        self.init(rows: ForEach(data, id: id, content: rowContent))
    }

    /// Stands for `List.init(_:rowContent:)` over a range.
    public init<RowContent: View>(
        _ data: Range<Int>, @ViewBuilder rowContent: @escaping (Int) -> RowContent
    ) where Content == ForEach<Range<Int>, Int, RowContent> {
        self.init(rows: ForEach(data, content: rowContent))
    }
}

extension List where SelectionValue: Hashable {
    /// Stands for `List.init(selection:content:)`. Nothing on the screen selects.
    public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) {
        self.init(rows: content())
    }
}

extension List: Drawn, RowContainer, Refreshed {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content, adjust: { $0.isLazy = true }) }

    func blocks(of node: Node) -> [Block] { [["List"] + node.lines(.content).indented] }
}

/// Stands for `SwiftUI.Form`.
public struct Form<Content: View>: View {
    /// Stands for `Form.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `Form.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension Form: Drawn, Refreshed {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { [["Form"] + node.lines(.content).indented] }
}

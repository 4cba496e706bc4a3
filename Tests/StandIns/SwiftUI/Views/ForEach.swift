/// Stands for `SwiftUI.ForEach`.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    /// Stands for `ForEach.data`.
    public var data: Data
    /// Stands for `ForEach.content`.
    public var content: (Data.Element) -> Content
    let id: (Data.Element) -> ID
}

extension ForEach: View where Content: View {
    /// Stands for `ForEach.Body`.
    public typealias Body = Never
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    /// Stands for `ForEach.init(_:content:)` over what identifies itself.
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, content: content, id: { $0.id })
    }
}

extension ForEach where Content: View {
    /// Stands for `ForEach.init(_:id:content:)`.
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        self.init(data: data, content: content, id: { $0[keyPath: id] })
    }

    /// Stands for `ForEach.init(_:content:)` over bindings to what identifies itself.
    public init<C: MutableCollection & RandomAccessCollection>(
        _ data: Binding<C>, @ViewBuilder content: @escaping (Binding<C.Element>) -> Content
    ) where Data == LazyMapSequence<C.Indices, (C.Index, ID)>, C.Element: Identifiable, ID == C.Element.ID {
        let pairs = data.wrappedValue.indices.lazy.map { ($0, data.wrappedValue[$0].id) }
        self.init(data: pairs, content: { content(data[$0.0]) }, id: { $0.1 })
    }
}

extension ForEach where Data == Range<Int>, ID == Int, Content: View {
    /// Stands for `ForEach.init(_:content:)` over a range.
    public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        self.init(data: data, content: content, id: { $0 })
    }
}

extension ForEach: _BuiltIn where Content: View {}

extension ForEach: Drawn where Content: View {
    func plan(_ plan: inout Plan, in node: Node) {
        for element in data {
            plan.add(id: AnyHashable(id(element)), lazily: { content(element) })
        }
    }
}

extension ForEach: RowParent where Content: View {}

/// Stands for `SwiftUI.DynamicViewContent`.
public protocol DynamicViewContent: View {
    /// Stands for `DynamicViewContent.Data`.
    associatedtype Data: Collection
    /// Stands for `DynamicViewContent.data`.
    var data: Data { get }
}

extension ForEach: DynamicViewContent where Content: View {}

extension DynamicViewContent {
    /// Stands for `DynamicViewContent.onDelete(perform:)`. Nothing on the screen deletes.
    public func onDelete(perform action: ((IndexSet) -> Void)?) -> some DynamicViewContent { self }

    /// Stands for `DynamicViewContent.onMove(perform:)`. Nothing on the screen moves.
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some DynamicViewContent { self }
}

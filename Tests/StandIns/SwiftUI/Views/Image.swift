/// Stands for `SwiftUI.Image`.
public struct Image: Equatable, Sendable {
    private let name: String

    /// Stands for `Image.init(systemName:)`.
    public init(systemName: String) {
        name = systemName
    }

    /// Stands for `Image.init(_:bundle:)`.
    public init(_ name: String, bundle: Bundle? = nil) {
        self.name = name
    }

    /// Stands for `Image.ResizingMode`.
    public enum ResizingMode: Sendable {
        /// Stands for the cases of `Image.ResizingMode`.
        case tile, stretch
    }

    /// Stands for `Image.resizable(capInsets:resizingMode:)`.
    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }
}

extension Image: View {
    /// Stands for `Image.Body`.
    public typealias Body = Never
}

extension Image: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {}

    func blocks(of node: Node) -> [Block] { [["<\(name)>"]] }
}

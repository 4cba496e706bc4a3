/// Stands for `SwiftUI.Image`.
public struct Image: Equatable, Sendable {
    private let name: String
    /// The label that a screen reader reads: `nil` for that of the name, empty for none.
    private var label: String?

    /// Stands for `Image.init(systemName:)`.
    public init(systemName: String) {
        name = systemName
    }

    /// Stands for `Image.init(_:bundle:)`.
    public init(_ name: String, bundle: Bundle? = nil) {
        self.name = name
    }

    /// Stands for `Image.Orientation`.
    public enum Orientation: UInt8, CaseIterable, Hashable, Sendable {
        /// Stands for the cases of `Image.Orientation`.
        case up, upMirrored, down, downMirrored, left, leftMirrored, right, rightMirrored
    }

    /// Stands for `Image.init(_:scale:orientation:label:)`. Shown as its bytes and its size in pixels.
    public init(_ cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up, label: Text) {
        name = "\(String(decoding: cgImage.source, as: UTF8.self)) \(cgImage.width)x\(cgImage.height)"
        self.label = label.string
    }

    /// Stands for `Image.init(decorative:scale:orientation:)`.
    public init(decorative cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up) {
        self.init(cgImage, scale: scale, label: Text(verbatim: ""))
    }

    /// Stands for `Image.ResizingMode`.
    public enum ResizingMode: Sendable {
        /// Stands for the cases of `Image.ResizingMode`.
        case tile, stretch
    }

    /// Stands for `Image.resizable(capInsets:resizingMode:)`.
    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }

    /// Stands for `Image.TemplateRenderingMode`.
    public enum TemplateRenderingMode: Sendable {
        /// Stands for the cases of `Image.TemplateRenderingMode`.
        case template, original
    }

    /// Stands for `Image.renderingMode(_:)`.
    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image { self }
}

extension Image: View {
    /// Stands for `Image.Body`.
    public typealias Body = Never
}

extension Image: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {}

    func blocks(of node: Node) -> [Block] { [["<\(name)>"]] }

    func spoken(_ node: Node) -> [String] { [label ?? name].filter { !$0.isEmpty } }
}

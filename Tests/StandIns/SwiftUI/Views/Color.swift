/// Stands for `SwiftUI.ShapeStyle`.
public protocol ShapeStyle: Sendable {}

/// Stands for `SwiftUI.Color`.
public struct Color: Hashable, Sendable, ShapeStyle {
    private let name: String

    private init(known name: String) {
        self.name = name
    }

    /// Stands for `Color.init(_:bundle:)`.
    public init(_ name: String, bundle: Bundle? = nil) {
        self.name = name
    }

    /// Stands for `Color.init(red:green:blue:opacity:)`.
    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        name = "\(red) \(green) \(blue) \(opacity)"
    }

    /// Stands for `Color.opacity(_:)`.
    public func opacity(_ opacity: Double) -> Color { self }

    /// Stands for `Color.red`.
    public static let red = Color(known: "red")
    /// Stands for `Color.orange`.
    public static let orange = Color(known: "orange")
    /// Stands for `Color.yellow`.
    public static let yellow = Color(known: "yellow")
    /// Stands for `Color.green`.
    public static let green = Color(known: "green")
    /// Stands for `Color.blue`.
    public static let blue = Color(known: "blue")
    /// Stands for `Color.purple`.
    public static let purple = Color(known: "purple")
    /// Stands for `Color.pink`.
    public static let pink = Color(known: "pink")
    /// Stands for `Color.white`.
    public static let white = Color(known: "white")
    /// Stands for `Color.gray`.
    public static let gray = Color(known: "gray")
    /// Stands for `Color.black`.
    public static let black = Color(known: "black")
    /// Stands for `Color.clear`.
    public static let clear = Color(known: "clear")
    /// Stands for `Color.primary`.
    public static let primary = Color(known: "primary")
    /// Stands for `Color.secondary`.
    public static let secondary = Color(known: "secondary")
    /// Stands for `Color.accentColor`.
    public static let accentColor = Color(known: "accentColor")
}

extension Color: View {
    /// Stands for `Color.Body`.
    public typealias Body = Never
}

extension Color: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {}

    func blocks(of node: Node) -> [Block] { [] }
}

extension ShapeStyle where Self == Color {
    /// Stands for `ShapeStyle.red`.
    public static var red: Color { .red }
    /// Stands for `ShapeStyle.orange`.
    public static var orange: Color { .orange }
    /// Stands for `ShapeStyle.yellow`.
    public static var yellow: Color { .yellow }
    /// Stands for `ShapeStyle.green`.
    public static var green: Color { .green }
    /// Stands for `ShapeStyle.blue`.
    public static var blue: Color { .blue }
    /// Stands for `ShapeStyle.gray`.
    public static var gray: Color { .gray }
    /// Stands for `ShapeStyle.white`.
    public static var white: Color { .white }
    /// Stands for `ShapeStyle.black`.
    public static var black: Color { .black }
    /// Stands for `ShapeStyle.clear`.
    public static var clear: Color { .clear }
}

/// Stands for `SwiftUI.HierarchicalShapeStyle`.
public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    /// Stands for `ShapeStyle.primary`.
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    /// Stands for `ShapeStyle.secondary`.
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    /// Stands for `ShapeStyle.tertiary`.
    public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

/// Stands for `SwiftUI.TintShapeStyle`.
public struct TintShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == TintShapeStyle {
    /// Stands for `ShapeStyle.tint`.
    public static var tint: TintShapeStyle { TintShapeStyle() }
}

/// Stands for `SwiftUI.Material`.
public struct Material: ShapeStyle {
    /// Stands for `Material.regularMaterial`.
    public static let regularMaterial = Material()
    /// Stands for `Material.thinMaterial`.
    public static let thinMaterial = Material()
}

extension ShapeStyle where Self == Material {
    /// Stands for `ShapeStyle.regularMaterial`.
    public static var regularMaterial: Material { Material() }
    /// Stands for `ShapeStyle.thinMaterial`.
    public static var thinMaterial: Material { Material() }
    /// Stands for `ShapeStyle.bar`.
    public static var bar: Material { Material() }
}

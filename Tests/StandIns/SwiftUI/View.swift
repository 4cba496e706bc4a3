@preconcurrency @_exported public import OpenCombine
@preconcurrency @_exported public import OpenCombineDispatch
@preconcurrency @_exported public import OpenCombineFoundation

/// Stands for `SwiftUI.View`.
@MainActor
@preconcurrency
public protocol View {
    /// Stands for `View.Body`.
    associatedtype Body: View
    /// Stands for `View.body`.
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("Never has no body") }
}

/// Stands for `SwiftUI.ViewBuilder`.
@resultBuilder
public enum ViewBuilder {
    /// Stands for `ViewBuilder.buildBlock`.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

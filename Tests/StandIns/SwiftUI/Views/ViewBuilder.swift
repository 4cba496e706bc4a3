/// Stands for `SwiftUI.ViewBuilder`.
@resultBuilder
public enum ViewBuilder {
    /// Stands for `ViewBuilder.buildExpression(_:)`.
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    /// Stands for `ViewBuilder.buildBlock()`.
    public static func buildBlock() -> EmptyView { EmptyView() }

    /// Stands for `ViewBuilder.buildBlock(_:)` of one view.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    /// Stands for `ViewBuilder.buildBlock(_:)` of several views.
    @_disfavoredOverload
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        TupleView((repeat each content))
    }

    /// Stands for `ViewBuilder.buildIf(_:)`.
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    /// Stands for `ViewBuilder.buildEither(first:)`.
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> {
        _ConditionalContent(storage: .trueContent(first))
    }

    /// Stands for `ViewBuilder.buildEither(second:)`.
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> {
        _ConditionalContent(storage: .falseContent(second))
    }

    /// Stands for `ViewBuilder.buildLimitedAvailability(_:)`.
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

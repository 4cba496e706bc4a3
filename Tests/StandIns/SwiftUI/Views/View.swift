/// Stands for `SwiftUI.View`.
@MainActor
@preconcurrency
public protocol View {
    /// Stands for `View.Body`.
    associatedtype Body: View
    /// Stands for `View.body`.
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    /// Stands for the body of `Never`, which nobody can ask for.
    public var body: Never { fatalError("Never has no body") }
}

/// What SwiftUI has itself. Only that may lack what a program's own type must have, such as a body.
public protocol _BuiltIn {}

extension View where Self: _BuiltIn, Body == Never {
    /// Stands for the body of a view that SwiftUI draws itself.
    public var body: Never { fatalError("\(Self.self) is drawn by the screen and has no body") }
}

extension Optional: _BuiltIn where Wrapped: View {}

extension Optional: View where Wrapped: View {
    /// Stands for the body of an optional view, which is drawn when it is there.
    public typealias Body = Never
}

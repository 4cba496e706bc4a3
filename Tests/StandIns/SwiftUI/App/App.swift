/// Stands for `SwiftUI.App`.
@MainActor
@preconcurrency
public protocol App {
    /// Stands for `App.Body`.
    associatedtype Body: Scene
    /// Stands for `App.body`.
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    /// Stands for `App.init()`.
    @MainActor @preconcurrency init()
}

extension App {
    /// Stands for `App.main()`. There is no window here: a test puts the views on a `Screen`.
    public static func main() {
        _ = Self()
    }
}

/// Stands for `SwiftUI.Scene`.
@MainActor
@preconcurrency
public protocol Scene {
    /// Stands for `Scene.Body`.
    associatedtype Body: Scene
    /// Stands for `Scene.body`.
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

extension Scene where Self: _BuiltIn, Body == Never {
    /// Stands for the body of a scene that SwiftUI shows itself.
    public var body: Never { fatalError("\(Self.self) has no body") }
}

/// Stands for `SwiftUI.SceneBuilder`.
@resultBuilder
public enum SceneBuilder {
    /// Stands for `SceneBuilder.buildExpression(_:)`.
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }

    /// Stands for `SceneBuilder.buildBlock(_:)`.
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// Stands for `SwiftUI.WindowGroup`.
public struct WindowGroup<Content: View>: Scene, _BuiltIn {
    package let content: Content

    /// Stands for `WindowGroup.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    /// Stands for `WindowGroup.init(_:content:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.content = content()
    }

    /// Stands for `WindowGroup.Body`.
    public typealias Body = Never
}

extension Scene {
    /// Stands for `Scene.onChange(of:perform:)`. Nothing calls it, as a scene is not on the screen.
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some Scene {
        self
    }

    /// Stands for `Scene.onChange(of:initial:_:)`. Nothing calls it, as a scene is not on the screen.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some Scene { self }

    /// Stands for `Scene.environment(_:_:)`.
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some Scene { self }
}

/// Stands for `SwiftUI.PreviewProvider`.
@MainActor
@preconcurrency
public protocol PreviewProvider {
    /// Stands for `PreviewProvider.Previews`.
    associatedtype Previews: View
    /// Stands for `PreviewProvider.previews`.
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

/// Stands for `SwiftUI.BackgroundTask`. Nothing starts it.
public struct BackgroundTask<Request, Response> {
    /// Stands for `BackgroundTask.appRefresh(_:)`.
    @available(macOS, unavailable)
    public static func appRefresh(_ identifier: String) -> Self where Self == BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>()
    }

    /// Stands for `BackgroundTask.urlSession(_:)`.
    @available(macOS, unavailable)
    public static func urlSession(_ identifier: String) -> Self where Self == BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>()
    }
}

extension Scene {
    /// Stands for `Scene.backgroundTask(_:action:)`.
    public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene { self }
}

/// Stands for `SwiftUI.Animation`. Nothing moves on the screen, which counts the changes with an animation.
public struct Animation: Equatable, Sendable {
    /// The animation of the transaction in which the code runs.
    @TaskLocal static var current: Animation?

    /// Stands for `Animation.default`.
    public static let `default` = Animation()
    /// Stands for `Animation.easeInOut`.
    public static let easeInOut = Animation()
    /// Stands for `Animation.easeIn`.
    public static let easeIn = Animation()
    /// Stands for `Animation.easeOut`.
    public static let easeOut = Animation()
    /// Stands for `Animation.linear`.
    public static let linear = Animation()

    /// Stands for `Animation.easeInOut(duration:)`.
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    /// Stands for `Animation.linear(duration:)`.
    public static func linear(duration: TimeInterval) -> Animation { Animation() }
    /// Stands for `Animation.spring(response:dampingFraction:blendDuration:)`.
    public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: TimeInterval = 0
    ) -> Animation { Animation() }
}

/// Stands for `SwiftUI.Transaction`.
public struct Transaction {
    /// Stands for `Transaction.animation`.
    public var animation: Animation?
    /// Stands for `Transaction.disablesAnimations`.
    public var disablesAnimations = false

    /// Stands for `Transaction.init()`.
    public init() {}

    /// Stands for `Transaction.init(animation:)`.
    public init(animation: Animation?) {
        self.animation = animation
    }
}

/// Stands for `SwiftUI.withAnimation(_:_:)`.
public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
    try Animation.$current.withValue(animation) { try body() }
}

/// Stands for `SwiftUI.withTransaction(_:_:)`.
public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
    try Animation.$current.withValue(transaction.animation) { try body() }
}

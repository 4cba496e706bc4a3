public import Foundation

/// Stands for `UIKit.UIView`.
@MainActor
open class UIView {
    /// Stands for `init()`.
    public init() {}
}

/// Stands for `UIKit.UIImage`.
public final class UIImage: @unchecked Sendable {  // has nothing that changes
    /// Stands for `init(data:)`.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
    }
}

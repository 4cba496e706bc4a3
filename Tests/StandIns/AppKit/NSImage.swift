public import Foundation

/// Stands for `AppKit.NSImage`.
public final class NSImage: @unchecked Sendable {  // has nothing that changes
    /// Stands for `init(data:)`.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
    }
}

public import Foundation

/// Stands for `AppKit.NSImage`.
public final class NSImage: @unchecked Sendable {  // has nothing that changes
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
    }
}

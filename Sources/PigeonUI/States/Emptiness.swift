#if canImport(SwiftUI)
    internal import PigeonCore

    /// Detects empty content.
    enum Emptiness {
        /// Returns true if the content is a collection without elements, pages without elements, or `nil`.
        static func isEmpty(_ content: Any) -> Bool {
            switch content {
            case let pages as any PageCollection: pages.allSatisfy { isEmpty($0) }
            case let collection as any Collection: collection.isEmpty
            case let optional as any OptionalType: optional.isNone
            default: false
            }
        }
    }

    /// A list of pages of any type.
    private protocol PageCollection: Collection {}

    extension Pages: PageCollection {}

    private protocol OptionalType {
        var isNone: Bool { get }
    }

    extension Optional: OptionalType {
        fileprivate var isNone: Bool { self == nil }
    }
#endif

#if canImport(SwiftUI)
    internal import PigeonCore

    /// Tells content that has nothing in it.
    enum Emptiness {
        /// Whether the content is a collection without elements, or pages without any, or `nil`.
        static func isEmpty(_ content: Any) -> Bool {
            switch content {
            case let pages as any PageCollection: pages.allSatisfy { isEmpty($0) }
            case let collection as any Collection: collection.isEmpty
            case let optional as any OptionalType: optional.isNone
            default: false
            }
        }
    }

    /// A list of pages, of whatever type.
    private protocol PageCollection: Collection {}

    extension Pages: PageCollection {}

    private protocol OptionalType {
        var isNone: Bool { get }
    }

    extension Optional: OptionalType {
        fileprivate var isNone: Bool { self == nil }
    }
#endif

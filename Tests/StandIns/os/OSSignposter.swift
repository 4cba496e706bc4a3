/// `os.OSSignpostID`
public struct OSSignpostID: Sendable, Hashable {
    let number: UInt64

    /// `exclusive`
    public static let exclusive = OSSignpostID(number: 0)
}

/// `os.OSSignpostIntervalState`
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID

    init(_ id: OSSignpostID) {
        self.id = id
    }

    /// `beginState(id:)`
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }
}

/// `os.SignpostMetadata`
public struct SignpostMetadata: ExpressibleByStringInterpolation {
    /// `init(stringLiteral:)`
    public init(stringLiteral value: String) {}
}

/// `os.OSSignposter`
public struct OSSignposter: Sendable {
    /// `init(subsystem:category:)`
    public init(subsystem: String, category: String) {}

    /// `isEnabled`
    public var isEnabled: Bool { false }

    /// `makeSignpostID()`
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(number: 1) }

    /// `beginInterval(_:id:_:)`
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }

    /// `endInterval(_:_:_:)`
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}

    /// `emitEvent(_:id:_:)`
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {}
}

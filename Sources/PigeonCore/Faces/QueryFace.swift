/// The module, or the part of a program, that a definition belongs to. Events name it, and snapshots carry it.
///
/// A face offers the engine in a style of its own, as queries, stores and resources do. It needs no more than the public
/// functions of a client. Its definitions carry it, with the settings that it stores:
///
/// ```swift
/// struct Pictures: QueryFace {
///     var name: String? { "pictures" }
/// }
/// let observer = client.observe(definition.face(Pictures()))     // pictures/7 fetching (observed by pictures)
/// ```
public protocol QueryFace: Sendable, Equatable {
    /// The name of the face in the causes of fetches that its observers and callers start. `nil` for causes without a
    /// name.
    ///
    /// The client reads names and compares faces under its lock, so neither may call the client. The `==` that the
    /// compiler makes is right.
    var name: String? { get }
}

extension QueryDefinition {
    /// Makes the definition belong to a face.
    ///
    /// The face's name appears in the cause of a fetch that an observer or a caller of the definition starts, as
    /// ``Cause/by(_:_:)``. ``Snapshot/face`` is the face of the definition that the entry is fetched with.
    public func face(_ face: some QueryFace) -> Self { options { $0.face = face } }
}

extension QueryOptions {
    func named(_ cause: Cause) -> Cause {
        guard let name = face?.name else { return cause }
        return .by(name, cause)
    }
}

/// Compares faces, so that options can be compared.
struct ComparableFace: Sendable, Equatable {
    let face: any QueryFace

    static func == (one: ComparableFace, other: ComparableFace) -> Bool { one.face.isEqual(to: other.face) }
}

extension QueryFace {
    fileprivate func isEqual(to other: any QueryFace) -> Bool { (other as? Self) == self }
}

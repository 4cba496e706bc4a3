package import Foundation

/// Makes pictures of bytes, of a type that does not say on all systems that it may travel between threads: `NSImage` does
/// from macOS 14 on, and could before, where nobody changes it.
package struct PictureTransformer<Picture>: ResponseTransformer {
    private let base: ResponseContentTransformer<Data, Box>

    private struct Box: @unchecked Sendable {  // nobody has the picture yet, and whoever gets it only shows it
        let picture: Picture

        /// The picture as content. Types are laid out the same with `Sendable` and without.
        var content: any Sendable { unsafeBitCast(picture as Any, to: (any Sendable).self) }
    }

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - transformErrors: Whether the bodies of errors are taken for pictures too.
    ///   - make: Makes a picture, if the bytes are one.
    package init(transformErrors: Bool, make: @escaping @Sendable (Data) -> Picture?) {
        base = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            guard let picture = make(entity.content) else { throw RequestError(RequestError.Cause.UnparsableImage()) }
            return Box(picture: picture)
        }
    }

    /// The response with a picture for its bytes. One that has a picture already stays.
    package func process(_ response: Response) -> Response {
        if case .success(let entity) = response, entity.content is Picture { return response }
        switch base.process(response) {
        case .success(let entity): return .success(unboxed(entity))
        case .failure(var error):
            error.entity = error.entity.map(unboxed)
            return .failure(error)
        }
    }

    private func unboxed(_ entity: Entity<any Sendable>) -> Entity<any Sendable> {
        guard let box = entity.content as? Box else { return entity }
        return entity.with(content: box.content)
    }

    /// What it takes and what it makes.
    package var debugDescription: String { "Data → \(Picture.self)" }
}

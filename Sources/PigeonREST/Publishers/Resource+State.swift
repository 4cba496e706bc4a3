internal import Foundation
internal import PigeonCore

extension Resource {
    /// What the resource is at now, its content as a type. Loads nothing.
    ///
    /// Content of another type is no content, and a ``RequestError/Cause/WrongContentType`` in place of the error, unless
    /// there is a real one.
    public func state<T>(as type: T.Type = T.self) -> ResourceState<T> {
        state(of: Happening(event: .observerAdded, picture: picture))
    }

    /// What the resource was at when something happened.
    func state<T>(of happening: Happening) -> ResourceState<T> {
        let picture = happening.picture
        let entity = picture?.entity
        let content: T? = entity.flatMap { ContentCast.cast($0.content) }
        var error = picture?.requestError
        if let entity, content == nil {
            let actual = Swift.type(of: entity.content as Any)
            let cause = RequestError.Cause.WrongContentType(expected: T.self, actual: actual)
            SiestaLog.log(.pipeline, "\(self): \(cause)")
            if error == nil { error = RequestError(cause, url: url) }
        }
        let times = [entity?.timestamp, picture?.requestError?.timestamp].compactMap { $0 }
        return ResourceState(
            content: content, latestError: error, isLoading: picture.map { $0.activity != .idle } ?? false,
            isRequesting: isRequesting, latestEvent: happening.event, timestamp: times.max(), isUpToDate: isUpToDate)
    }
}

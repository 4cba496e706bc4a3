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
        var content: T?
        var error = picture?.requestError
        do {
            content = try entity?.content(as: T.self, at: url)
        } catch let mismatch {
            SiestaLog.log(.pipeline, "\(self): \(mismatch)")
            error = error ?? mismatch
        }
        let times = [entity?.timestamp, picture?.requestError?.timestamp].compactMap { $0 }
        return ResourceState(
            content: content, latestError: error, isLoading: picture.map { $0.activity != .idle } ?? false,
            isRequesting: isRequesting, latestEvent: happening.event, timestamp: times.max(), isUpToDate: isUpToDate)
    }
}

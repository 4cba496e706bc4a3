package import Foundation
internal import PigeonHTTP

extension Entity {
    /// Says that the content is known to be right now.
    public mutating func touch() {
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// How long ago the content was known to be right, in seconds, by the wall clock.
    ///
    /// A time in the future is a clock that was set back: then the age is not known, which counts as endless. A
    /// minute is passed over, since clocks differ.
    ///
    /// - Parameter now: Seconds since 2001.
    package func age(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> TimeInterval {
        let age = now - timestamp
        guard age >= -60 else { return .infinity }  // also for NaN
        return max(0, age)
    }

    /// The entity with a time that is not in the future. One that is not to be believed becomes the year 2001.
    package func clamped(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> Entity {
        let age = age(now: now)
        var entity = self
        entity.timestamp = age.isFinite ? now - age : 0
        return entity
    }

    /// How long the server said the content is fresh, in seconds from ``timestamp``. `nil` when it did not say.
    package var freshFor: TimeInterval? {
        let freshness = HTTPHeaders(headers).freshness(now: Date(timeIntervalSinceReferenceDate: timestamp))
        return freshness.map { TimeInterval($0.components.seconds) }
    }
}

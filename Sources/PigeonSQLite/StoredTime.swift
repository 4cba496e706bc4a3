internal import Foundation

/// The time at which a record was saved, in seconds since 2001, which a `Date` stores without rounding.
enum StoredTime {
    private static let possible =
        Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate

    /// Returns the seconds of a date. `nil` for an impossible time, such as NaN.
    static func seconds(of date: Date) -> Double? {
        let seconds = date.timeIntervalSinceReferenceDate
        return possible.contains(seconds) ? seconds : nil
    }

    /// Returns the date for stored seconds. An impossible time becomes the oldest date, so that the record counts as
    /// stale.
    static func date(from seconds: Double) -> Date {
        guard possible.contains(seconds) else { return .distantPast }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

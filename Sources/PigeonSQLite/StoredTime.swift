internal import Foundation

/// When a record was saved, as seconds from 2001, which a `Date` gives and takes without rounding.
enum StoredTime {
    private static let possible =
        Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate

    /// `nil` for a time that cannot be, such as NaN.
    static func seconds(of date: Date) -> Double? {
        let seconds = date.timeIntervalSinceReferenceDate
        return possible.contains(seconds) ? seconds : nil
    }

    /// A time that cannot be is as old as can be, so that the record counts as stale.
    static func date(from seconds: Double) -> Date {
        guard possible.contains(seconds) else { return .distantPast }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

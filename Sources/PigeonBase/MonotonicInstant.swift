/// A point in time on a clock that never goes back, in nanoseconds since that clock's start.
@frozen
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// Creates an instant from nanoseconds since the clock's start.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Returns the instant `duration` later, clamped to the range of the clock.
    @inlinable
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return MonotonicInstant(nanoseconds: sum) }
        return MonotonicInstant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// Returns the time from this instant to `other`. Negative if `other` is earlier.
    @inlinable
    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Compares two instants of one clock.
    @inlinable
    public static func < (one: MonotonicInstant, other: MonotonicInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}

extension Duration {
    /// A number of minutes. More seconds than `Int64` has become the most that it has.
    public static func minutes(_ count: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: count).clampedProduct(with: 60))
    }

    /// A number of hours. More seconds than `Int64` has become the most that it has.
    public static func hours(_ count: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: count).clampedProduct(with: 3600))
    }

    /// Whole nanoseconds, clamped to `Int64` (about 292 years).
    @inlinable
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !carried else { return seconds < 0 ? .min : .max }
        return sum
    }

    @inlinable
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Creates a duration from seconds of untrusted origin. Returns `nil` for NaN and negative numbers. Clamps to 100
    /// years.
    package init?(untrustedSeconds seconds: Double) {
        guard seconds >= 0 else { return nil }
        self = .seconds(min(seconds, 3_153_600_000))
    }
}

extension FixedWidthInteger {
    /// The sum, clamped to the type's range.
    @inlinable
    package func clampedSum(with other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// The product, clamped to the type's range.
    @inlinable
    package func clampedProduct(with other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}

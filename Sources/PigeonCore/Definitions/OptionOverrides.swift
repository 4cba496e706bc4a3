/// Changes options. May be called on any thread, and more than once.
package typealias OptionChange = @Sendable (inout QueryOptions) -> Void

/// The options that a definition sets, over those of its client and its key.
///
/// They are fields of one object, because many definitions are made at each use: they cost one allocation, and no closures.
package final class OptionOverrides: @unchecked Sendable {  // changed only by its sole owner
    struct Names: OptionSet {
        let rawValue: UInt32

        static let staleAfter = Names(rawValue: 1 << 0)
        static let expiryJitter = Names(rawValue: 1 << 1)
        static let refreshEarly = Names(rawValue: 1 << 2)
        static let fetchPolicy = Names(rawValue: 1 << 3)
        static let rememberFailures = Names(rawValue: 1 << 4)
        static let debounce = Names(rawValue: 1 << 5)
        static let fetchInterval = Names(rawValue: 1 << 6)
        static let keepFor = Names(rawValue: 1 << 7)
        static let retry = Names(rawValue: 1 << 8)
        static let polling = Names(rawValue: 1 << 9)
        static let networkMode = Names(rawValue: 1 << 10)
        static let refetchOnAttach = Names(rawValue: 1 << 11)
        static let retriesOnAttach = Names(rawValue: 1 << 12)
        static let refetchOnForeground = Names(rawValue: 1 << 13)
        static let refetchOnReconnect = Names(rawValue: 1 << 14)
        static let whenAbandoned = Names(rawValue: 1 << 15)
        static let timeLimit = Names(rawValue: 1 << 16)
        static let upstream = Names(rawValue: 1 << 17)
        static let keepsPlaceholder = Names(rawValue: 1 << 18)
        static let isEnabled = Names(rawValue: 1 << 19)
    }

    /// The options that the definition set before ``change``.
    private let earlier: OptionOverrides?
    /// Code of the program, which is called before the fields are set.
    private let change: OptionChange?
    @exclusivity(unchecked) private var names: Names = []
    /// The options of ``names``. The others are not used.
    @exclusivity(unchecked) private var values = QueryOptions()

    package init(_ change: OptionChange?, after earlier: OptionOverrides? = nil) {
        (self.earlier, self.change) = (earlier, change)
    }

    fileprivate convenience init(copying other: OptionOverrides?) {
        self.init(other?.change, after: other?.earlier)
        if let other { (names, values) = (other.names, other.values) }
    }

    fileprivate func set(_ name: Names, _ change: (inout QueryOptions) -> Void) {
        names.insert(name)
        change(&values)
    }

    /// True if no code of the program is called for them.
    var areData: Bool { earlier == nil && change == nil }

    /// True if both set the same options to the same values. Both ``areData``.
    func setsSame(as other: OptionOverrides) -> Bool { names == other.names && values == other.values }

    /// Replaces the options that the definition sets.
    package func apply(to options: inout QueryOptions) {
        earlier?.apply(to: &options)
        change?(&options)
        if names.contains(.staleAfter) { options.staleAfter = values.staleAfter }
        if names.contains(.expiryJitter) { options.expiryJitter = values.expiryJitter }
        if names.contains(.refreshEarly) { options.refreshEarly = values.refreshEarly }
        if names.contains(.fetchPolicy) { options.fetchPolicy = values.fetchPolicy }
        if names.contains(.rememberFailures) { options.rememberFailures = values.rememberFailures }
        if names.contains(.debounce) { options.debounce = values.debounce }
        if names.contains(.fetchInterval) { options.fetchInterval = values.fetchInterval }
        if names.contains(.keepFor) { options.keepFor = values.keepFor }
        if names.contains(.retry) { options.retry = values.retry }
        if names.contains(.polling) {
            (options.pollEvery, options.pollsInBackground) = (values.pollEvery, values.pollsInBackground)
        }
        if names.contains(.networkMode) { options.networkMode = values.networkMode }
        if names.contains(.refetchOnAttach) { options.refetchOnAttach = values.refetchOnAttach }
        if names.contains(.retriesOnAttach) { options.retriesOnAttach = values.retriesOnAttach }
        if names.contains(.refetchOnForeground) { options.refetchOnForeground = values.refetchOnForeground }
        if names.contains(.refetchOnReconnect) { options.refetchOnReconnect = values.refetchOnReconnect }
        if names.contains(.whenAbandoned) { options.whenAbandoned = values.whenAbandoned }
        if names.contains(.timeLimit) { options.timeLimit = values.timeLimit }
        if names.contains(.upstream) { options.upstream = values.upstream }
        if names.contains(.keepsPlaceholder) { options.keepsPlaceholder = values.keepsPlaceholder }
        if names.contains(.isEnabled) { options.isEnabled = values.isEnabled }
    }
}

extension QueryDefinition {
    /// Sets an option.
    ///
    /// It and the modifiers that call it consume the definition, so that all modifiers of a chain write to one object.
    consuming func setting(_ name: OptionOverrides.Names, _ change: (inout QueryOptions) -> Void) -> Self {
        if !isKnownUniquelyReferenced(&overrides) { overrides = OptionOverrides(copying: overrides) }
        overrides?.set(name, change)
        return self
    }
}

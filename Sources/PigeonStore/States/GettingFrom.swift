/// Where a store may take data from when it is asked once.
public enum GettingFrom: Hashable, Sendable {
    /// From the cache while it is valid, else from the origin.
    case both
    /// From the origin alone, whatever is cached.
    case origin
    /// From the cache alone, if what is there is valid. Nothing is fetched.
    case cache
}

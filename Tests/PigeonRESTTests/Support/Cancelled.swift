import PigeonHTTP

/// Errors of a module whose types have the names of PigeonREST's.
enum Cancelled {
    static let http: any Error = HTTPError.cancelled
}

extension RequestError {
    /// Whether a person would see the same: the same message and status code, from a cause of the same type.
    static func areSame(_ a: RequestError?, _ b: RequestError?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }

    func isSame(as other: RequestError) -> Bool {
        userMessage == other.userMessage && httpStatusCode == other.httpStatusCode
            && cause.map { ObjectIdentifier(type(of: $0)) } == other.cause.map { ObjectIdentifier(type(of: $0)) }
    }
}

/// Says how many requests a client may make within a window of time. An answer of 304 does not count, nor do avatars.
package struct RateLimit: Sendable, Equatable {
    /// The requests of all who are not signed in, together.
    package var anonymous: Int
    /// The requests of each account.
    package var signedIn: Int
    /// The length of the window, which begins with the first request in it.
    package var window: Duration

    package init(anonymous: Int = 60, signedIn: Int = 5000, window: Duration = .seconds(3600)) {
        self.anonymous = anonymous
        self.signedIn = signedIn
        self.window = window
    }
}

extension ViewHost {
    /// Waits until the probes show what is wished; false if they do not after 20 seconds. Looks often enough before, even
    /// if other tests have kept the main actor busy.
    package func wait(until isReady: ([String]) -> Bool) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(20))
        var looks = 0
        while !isReady(shown) {
            guard clock.now < end || looks < 100 else { return false }
            looks += 1
            await Task.yield()
            // On a Mac, the main thread's run loop turns meanwhile.
            try? await clock.sleep(for: .milliseconds(2))
        }
        return true
    }
}

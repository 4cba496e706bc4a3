/// Returns once a condition holds. It holds sooner or later, or the test's time limit ends it.
@MainActor
package func until(_ holds: () -> Bool) async {
    while !holds() && !Task.isCancelled { await Task.yield() }
}

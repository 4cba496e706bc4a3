/// A named group of figures.
struct Workload: Sendable {
    let name: String
    let run: @Sendable (Recorder) async throws -> Void

    static let all = [
        Workload(name: "W1", run: measureReads),
        Workload(name: "W2", run: measureCreation),
        Workload(name: "W3", run: measureSharedFetch),
        Workload(name: "W4", run: measureNotifications),
        Workload(name: "W5", run: measureInvalidation),
        Workload(name: "W6", run: measurePages),
        Workload(name: "W7", run: measureSQLite),
        Workload(name: "W8", run: measureMutations),
        Workload(name: "W9", run: measureHTTP),
        Workload(name: "W10", run: measureStores),
        Workload(name: "W11", run: measureResources),
        Workload(name: "W12", run: measureMemoryCache),
        Workload(name: "W13", run: measureScale),
        Workload(name: "W14", run: measureOutbox),
        Workload(name: "W15", run: measureFleet),
        Workload(name: "W16", run: measureStart),
        Workload(name: "W17", run: measureItems),
    ]
}

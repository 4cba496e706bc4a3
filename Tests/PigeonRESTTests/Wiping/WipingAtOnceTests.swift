import Foundation
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Wiping many resources")
struct WipingAtOnceTests {
    @Test("is told once all are empty, so that who loads again finds nothing of before")
    func atOnce() {
        let provider = ManualProvider()
        let service = Service(
            baseURL: "https://api.test", networking: provider, client: QueryClient(), callbacks: .immediate)
        let resources = (0..<5).map { service.resource("/\($0)") }
        let left = Recorder<Int>()
        let owner = Owner()
        for resource in resources {
            resource.overrideLocalContent(with: "private")
            resource.addObserver(owner: owner) { resource, event in
                guard event == .newData(.wipe) else { return }
                left.append(resources.count { $0.latestData != nil })
                resource.loadIfNeeded()
            }
        }
        service.wipeResources()
        #expect(left.all == [0, 0, 0, 0, 0])
        // None of the new loads was mistaken for an earlier one.
        #expect(provider.exchanges.count == 5)
        #expect(!provider.exchanges.contains { $0.isCancelled })
        #expect(!resources.contains { !$0.isLoading })
    }

    @Test("The network keeps no answers of its own")
    func defaultNetworking() {
        #expect(Service.defaultNetworking.urlCache == nil)
    }
}

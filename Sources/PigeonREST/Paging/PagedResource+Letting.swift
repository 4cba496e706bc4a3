internal import PigeonCore

extension PagedResource {
    /// Cancels what is being loaded of the list, if nobody observes it or waits for it: the whole, or one more page.
    ///
    /// A page that is observed as a resource goes on.
    public func cancelLoadIfUnobserved() {
        let list = definition
        guard !resource.client.isUsed(list.key, besides: nil) else { return }
        let pages = resource.client.value(of: list)
        resource.client.cancel(.key(list.key))
        let addresses = [resource.url] + (pages?.ids ?? []) + [pages?.nextID, pages?.previousID].compactMap { $0 }
        for address in Set(addresses) { resource.service.resource(absoluteURL: address).cancelLoadIfUnobserved() }
    }
}

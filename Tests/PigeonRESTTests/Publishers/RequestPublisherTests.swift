import Foundation
import PigeonBase
import PigeonREST
import TestSupport
import Testing

@Suite("Publishers of requests")
struct RequestPublisherTests {
    let provider = ManualProvider()
    let service: Service

    init() {
        service = Service(baseURL: "https://api.test", networking: provider, client: QueryClient())
    }

    /// What a publisher sends, as text, and a signal at its end.
    func run<T>(_ publisher: AnyPublisher<T, RequestError>) -> (log: Recorder<String>, cancellable: AnyCancellable) {
        let log = Recorder<String>()
        let cancellable = publisher.sink { end in
            switch end {
            case .finished: log.append("finished")
            case .failure(let error):
                log.append("failed \(error.httpStatusCode.map(String.init) ?? "without a status")")
            }
        } receiveValue: {
            log.append("\($0)")
        }
        return (log, cancellable)
    }

    @Test("a cold one asks once for each subscription, brings the value and ends", .rule("Siesta 43"))
    func cold() async {
        let resource = service.resource("/a")
        let publisher: AnyPublisher<String, RequestError> = resource.dataRequestPublisher(deliveredOn: .immediate) {
            $0.request(.post)
        }
        #expect(provider.exchanges.isEmpty)
        let (log, one) = run(publisher)
        let (other, two) = run(publisher)
        #expect(provider.exchanges.count == 2)
        provider.exchanges[0].answer("one")
        provider.exchanges[1].answer("", status: 500)
        await log.wait(for: 2)
        await other.wait(for: 1)
        #expect(log.all == ["one", "finished"])
        #expect(other.all == ["failed 500"])
        _ = (one, two)
    }

    @Test("Void takes any content; another type is an error", .rule("Siesta 43"))
    func types() async {
        let resource = service.resource("/a")
        let (nothing, one) = run(resource.requestPublisher(deliveredOn: .immediate) { $0.request(.get) })
        provider.last?.answer("text")
        await nothing.wait(for: 2)
        #expect(nothing.all == ["()", "finished"])
        let numbers: AnyPublisher<Int, RequestError> = resource.dataRequestPublisher(deliveredOn: .immediate) {
            $0.request(.get)
        }
        let (wrong, two) = run(numbers)
        provider.last?.answer("text")
        await wrong.wait(for: 1)
        #expect(wrong.all == ["failed without a status"])
        _ = (one, two)
    }

    @Test("a hot one is under way before anybody subscribes, and ends late subscribers too", .rule("Siesta 43"))
    func hot() async {
        let request = service.resource("/a").request(.get)
        let publisher: AnyPublisher<String, RequestError> = request.dataPublisher(deliveredOn: .immediate)
        #expect(provider.exchanges.count == 1)
        provider.last?.answer("one")
        _ = await request.response()
        let (log, cancellable) = run(publisher)
        await log.wait(for: 2)
        #expect(log.all == ["one", "finished"])
        #expect(provider.exchanges.count == 1)
        _ = cancellable
    }

    @Test("cancelling the subscription of a hot one leaves the request to others", .rule("Siesta 43"))
    func hotCancelling() {
        let request = service.resource("/a").request(.get)
        let (_, cancellable) = run(request.publisher(deliveredOn: .immediate))
        cancellable.cancel()
        #expect(request.state == .inProgress)
    }

    @Test("An immediate one delivers without the main actor, on which hooks are called", arguments: [true, false])
    func immediate(isCold: Bool) async {
        let resource = service.resource("/a")
        let publisher =
            isCold
            ? resource.requestPublisher(deliveredOn: .immediate, createRequest: { $0.request(.get) })
            : resource.request(.get).publisher(deliveredOn: .immediate)
        let onMain = Recorder<Bool>()
        let cancellable = publisher.sink { _ in
            onMain.append(MainActor.isCurrent)
        } receiveValue: { _ in
            onMain.append(MainActor.isCurrent)
        }
        provider.last?.answer("one")
        await onMain.wait(for: 2)
        #expect(onMain.all == [false, false])
        _ = cancellable
    }

    @Test("an Any is the content, not nothing", .rule("Siesta C5"))
    func anything() async {
        let request = service.resource("/a").request(.get)
        let (log, cancellable) = run(request.dataPublisher(deliveredOn: .immediate) as AnyPublisher<Any, RequestError>)
        provider.last?.answer("text")
        await log.wait(for: 2)
        #expect(log.all == ["text", "finished"])
        _ = cancellable
    }

    @Test("cancelling the subscription of a cold one cancels its request", .rule("Siesta C6"))
    func coldCancelling() {
        let resource = service.resource("/a")
        let (log, cancellable) = run(resource.requestPublisher(deliveredOn: .immediate) { $0.request(.put) })
        cancellable.cancel()
        #expect(provider.last?.isCancelled == true)
        #expect(!resource.isRequesting)
        #expect(log.all.isEmpty)
    }
}

import Foundation
import PigeonFutures
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Publishers of futures and requests")
struct FuturePublisherTests {
    private let told = Recorder<String>()
    private let request = BasicRequest(method: .get, path: "/posts")

    /// Subscribes, and waits for the end.
    private func finish<Output, Failure: Error>(_ publisher: AnyPublisher<Output, Failure>) async {
        let (told, ended) = (told, Gate())
        let subscription = publisher.sink { completion in
            switch completion {
            case .finished: told.append("finished")
            case .failure(let error): told.append("\(error)")
            }
            ended.open()
        } receiveValue: {
            told.append("\($0)")
        }
        await ended.wait()
        subscription.cancel()
    }

    @Test("A future's publisher runs it once for all subscribers, and sends late ones its value")
    func shared() async {
        let runs = Recorder<Int>()
        let future = ResponseFuture<Int>(operation: { _ in
            runs.append(1)
            return 7
        })
        let publisher = future.publisher
        #expect(future.status == .created)
        await finish(publisher)
        await finish(publisher)
        #expect(told.all == ["7", "finished", "7", "finished"])
        #expect(runs.all == [1])
    }

    @Test("A future's publisher sends its error; that of a cancelled one, CancellationError")
    func failure() async {
        await finish(ResponseFuture<Int> { _ in throw Failure() }.publisher)
        let future = ResponseFuture<Int> { _ in }
        future.cancel()
        await finish(future.publisher)
        #expect(told.all == [#"Failure(name: "failure")"#, "CancellationError()"])
    }

    @Test("Cancelling a subscription leaves a shared future alone")
    func sharedCancel() async throws {
        let future = ResponseFuture<Int> { _ in }
        let told = told
        let subscription = future.publisher.sink { _ in
            told.append("end")
        } receiveValue: {
            told.append("\($0)")
        }
        subscription.cancel()
        future.succeed(with: 1)
        #expect(try await future.value == 1)
        #expect(told.all == [])
    }

    @Test("A request's publisher asks for each subscriber, and not before")
    func cold() async {
        let dispatcher = ClosureDispatcher("body", status: 404)
        let publisher = dispatcher.publisher(for: request).map(\.statusCode.rawValue).eraseToAnyPublisher()
        #expect(dispatcher.asked.all == [])
        await finish(publisher)
        await finish(publisher)
        #expect(told.all == ["404", "finished", "404", "finished"])
        #expect(dispatcher.asked.all == ["GET /posts", "GET /posts"])
    }

    @Test("A request's publisher sends typed errors")
    func typed() async {
        let dispatcher = ClosureDispatcher { _ in throw HTTPError.transport(URLError(.timedOut)) }
        await finish(
            dispatcher.publisher(for: request).map { _ in "" }
                .catch { error -> Just<String> in
                    guard case .transport(let error) = error else { return Just("other") }
                    return Just("\(error.code == .timedOut)")
                }.eraseToAnyPublisher())
        #expect(told.all == ["true", "finished"])
    }

    @Test("Cancelling a subscription cancels its request")
    func coldCancel() async {
        let (started, stopped) = (Gate(), Gate())
        let dispatcher = ClosureDispatcher(started: started, stopped: stopped)
        let told = told
        let subscription = dispatcher.publisher(for: request)
            .sink { _ in
                told.append("end")
            } receiveValue: { _ in
                told.append("value")
            }
        await started.wait()
        subscription.cancel()
        await stopped.wait()
        #expect(told.all == [])
    }
}

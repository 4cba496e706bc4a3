internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLSessionTransport {
    /// The session's delegate: passes what the session tells of a task to the exchange that the task is for.
    final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        private let running = Locked<[Int: URLSessionCarrier]>([:])

        /// Keeps a carrier until its task has ended.
        func add(_ carrier: URLSessionCarrier) {
            running.withLock { $0[carrier.task.taskIdentifier] = carrier }
        }

        private func carrier(of task: URLSessionTask) -> URLSessionCarrier? {
            running.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            carrier(of: task)?.declineRedirect(completionHandler)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            carrier(of: task)?.exchange.didSend(totalBytesSent)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            carrier(of: dataTask)?.didReceive(response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            carrier(of: dataTask)?.exchange.didReceive(data)
        }

        #if canImport(FoundationNetworking)
            // Told of after the body of a 401. Left to itself, the session of Linux would wait for ever.
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                guard let carrier = carrier(of: task) else { return }
                carrier.exchange.didEnd(with: nil)
                carrier.transport.whenFree { completionHandler(.cancelAuthenticationChallenge, nil) }
            }
        #endif

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let carrier = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            carrier?.didEnd(with: error)
        }
    }
}

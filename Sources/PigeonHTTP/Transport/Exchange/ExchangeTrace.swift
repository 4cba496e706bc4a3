internal import Foundation
internal import PigeonBase

/// Reports an exchange to the listeners of ``RequestLog``.
final class ExchangeTrace: Sendable {
    /// The status, bytes and end of an exchange after a change.
    struct News {
        let status: Int?
        let received: Int64
        let end: Result<Void, HTTPError>?

        init(_ state: Exchange.State) {
            (status, received, end) = (state.head?.status, state.progress.received, state.end)
        }
    }

    private let record: Locked<RequestRecord>
    private let clock = SystemClock()

    init(_ request: TransportRequest) {
        let record = RequestRecord(
            id: RequestLog.nextID(), method: request.methodName,
            address: Redaction.address(request.url.absoluteString, showing: []), curl: request.curl(),
            start: clock.now(), fetch: RequestLog.fetch?.subject)
        self.record = Locked(record)
        RequestLog.report(record)
    }

    /// Reports the first news of the head, and of the end.
    func note(_ news: News) {
        let now = clock.now()
        let changed = record.withLock { record -> RequestRecord? in
            let isNew = record.duration == nil && (news.end != nil || record.status == nil && news.status != nil)
            guard isNew else { return nil }
            let time = record.start.duration(to: now)
            if record.status == nil, let status = news.status { (record.status, record.headAfter) = (status, time) }
            record.received = news.received
            guard let end = news.end else { return record }
            record.duration = time
            if case .failure(let error) = end { record.error = TransientError.label(error) }
            return record
        }
        if let changed { RequestLog.report(changed) }
    }
}

#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonOutbox

    struct BrowserRequest: Decodable {
        struct Filter: Decodable {
            let kind: String
            let value: String?
        }

        struct Item: Decodable {
            let type: String
            let id: String
        }

        let type: String
        let client: Int?
        let key: String?
        let id: Int?
        let action: String?
        let filter: Filter?
        let fault: String?
        let ms: Double?
        let json: String?
        let on: Bool?
        let item: Int64?
        let selected: Item?
    }

    /// Actions of a browser on a client. Their events have the cause "… by devtools".
    enum Commands {
        private static let cause = Cause.by("devtools", .requested)

        static func preview(_ request: BrowserRequest, _ view: ClientView, _ client: QueryClient) -> JSONText {
            guard let filter = filter(of: request, view) else { return noFilter(request) }
            let keys = client.entries(matching: filter).map(\.key)
            return Messages.preview(request.id, keys.map { view.names.name(of: $0).text })
        }

        /// The item that a browser has selected in an entry. `nil` for none, and if it must not be shown.
        static func item(_ request: BrowserRequest, _ view: ClientView) -> ItemView? {
            guard let selected = request.selected, let key = view.names.key(named: request.key ?? "") else {
                return nil
            }
            return ItemView(selected.id, ofType: selected.type, in: key, view)
        }

        /// - Parameter answer: Called once, on any thread.
        static func carryOut(
            _ request: BrowserRequest, _ view: ClientView, _ client: QueryClient,
            _ answer: @escaping @Sendable (JSONText) -> Void
        ) {
            let id = request.id
            func done(_ text: String) { answer(Messages.done(id, text)) }
            switch request.action {
            case "refetch", "invalidate", "cancel", "reset", "remove", "fault":
                guard let filter = filter(of: request, view) else { return answer(noFilter(request)) }
                done(carryOut(request, filter, client))
            case "edit": answer(edit(request, view, client))
            case "online":
                client.environment.connectivity.set(request.on ?? true)
                done(request.on == false ? "offline" : "online")
            case "active":
                client.environment.activity.set(request.on ?? true)
                done(request.on == false ? "in the background" : "in the foreground")
            case "memoryPressure":
                client.environment.memoryPressure.set(true)
                client.environment.memoryPressure.set(false)
                done("memory pressure")
            case "advance":
                guard let clock = client.environment.clock as? any AdjustableClock,
                    let time = request.ms.flatMap({ Duration(untrustedSeconds: $0 / 1000) })
                else { return answer(Messages.failed(id, "the clock of this client cannot be advanced")) }
                clock.advance(by: time)
                done("advanced by \(time.text)")
            case "clear", "retry", "discard": carryOutLater(request, client, answer)
            default: answer(Messages.failed(id, "\(request.action ?? "no action") is not known"))
            }
        }

        /// Performs an action on the entries that a filter selects, and returns a description of the result.
        private static func carryOut(_ request: BrowserRequest, _ filter: KeyFilter, _ client: QueryClient) -> String {
            let count = client.entries(matching: filter).count
            let entries = count == 1 ? "1 entry" : "\(count) entries"
            switch request.action {
            case "invalidate":
                client.invalidate(filter, refetch: .active, cause: cause)
                return "\(entries) invalidated"
            case "cancel":
                client.cancel(filter, cause: cause)
                return "fetches of \(entries) cancelled"
            case "reset":
                client.reset(filter, cause: cause)
                return "\(entries) reset"
            case "remove":
                client.remove(filter, cause: cause)
                return "\(entries) removed"
            case "fault":
                let fault = fault(of: request)
                client.setFault(fault, for: filter)
                return fault == nil ? "\(entries) undisturbed" : "later fetches of \(entries) are disturbed"
            default:
                Task { await client.refetch(filter, cause: cause) }
                return "\(entries) refetched"
            }
        }

        private static func carryOutLater(
            _ request: BrowserRequest, _ client: QueryClient, _ answer: @escaping @Sendable (JSONText) -> Void
        ) {
            let (id, item, action) = (request.id, request.item ?? 0, request.action)
            Task {
                do {
                    switch action {
                    case "retry":
                        try await client.outbox.retry(item)
                        answer(Messages.done(id, "mutation \(item) is tried again"))
                    case "discard":
                        try await client.outbox.discard(item)
                        answer(Messages.done(id, "mutation \(item) discarded"))
                    default:
                        try await client.clear()
                        answer(Messages.done(id, "cleared"))
                    }
                } catch {
                    answer(Messages.failed(id, TransientError.label(error)))
                }
            }
        }

        private static func edit(_ request: BrowserRequest, _ view: ClientView, _ client: QueryClient) -> JSONText {
            guard let key = view.names.key(named: request.key ?? ""), let report = client.report(of: key),
                !view.isHidden(report)
            else { return Messages.failed(request.id, "there is no such entry") }
            do {
                try client.write(json: Data((request.json ?? "").utf8), for: key, cause: cause)
                return Messages.done(request.id, "value written")
            } catch {
                return Messages.failed(request.id, TransientError.label(error))
            }
        }

        private static func fault(of request: BrowserRequest) -> FetchFault? {
            FetchFault(
                named: request.fault, delay: Duration(untrustedSeconds: (request.ms ?? 3000) / 1000) ?? .seconds(3))
        }

        private static func filter(of request: BrowserRequest, _ view: ClientView) -> KeyFilter? {
            guard let filter = request.filter else { return nil }
            let value = filter.value ?? ""
            switch filter.kind {
            case "all": return .all
            case "tag": return .tag(value)
            case "key": return view.names.key(named: value).map { .key($0) }
            case "path": return .path(view.names.key(named: value) ?? QueryKey(stringLiteral: value))
            default: return nil
            }
        }

        private static func noFilter(_ request: BrowserRequest) -> JSONText {
            Messages.failed(request.id, "the entries are not named")
        }
    }
#endif

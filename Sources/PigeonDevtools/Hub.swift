#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import PigeonBase
    internal import PigeonCore

    /// Connects clients with browsers: ten times a second, sends the changes to each browser.
    ///
    /// Used on one event loop only, except for ``add(_:named:)``.
    final class Hub: @unchecked Sendable {  // `added` has a lock, all else belongs to the event loop
        let options: Devtools.Options
        /// Clients that are not shown yet.
        private let added = Locked<(clients: [ClientWatch], count: Int)>(([], 0))
        private var views: [ClientView] = []
        private var browsers: [Browser] = []
        private var ticks: RepeatedTask?
        private let requests = RequestWatch()

        static let interval = TimeAmount.milliseconds(100)

        init(_ options: Devtools.Options) {
            self.options = options
        }

        func add(_ client: QueryClient, named name: String) {
            let number = added.withLock { added in
                added.count += 1
                return added.count
            }
            // Follows the events from now on, whether or not a browser is connected.
            let watch = ClientWatch(client, id: number, name: name)
            added.withLock { $0.clients.append(watch) }
        }

        // MARK: On the event loop

        func connect(_ browser: Browser, on loop: any EventLoop) {
            takeAdded()
            browser.send(Messages.hello(views.map(\.watch)))
            browsers.append(browser)
            if ticks == nil {
                _ = requests.takeChanges()  // a browser that begins to watch receives all requests
                ticks = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { [weak self] _ in
                    self?.tick()
                }
            }
        }

        func disconnect(_ browser: Browser) {
            browsers.removeAll { $0 === browser }
            guard browsers.isEmpty else { return }
            ticks?.cancel()
            ticks = nil
            for view in views { view.forget() }
        }

        func isAlone(_ browser: Browser, with view: ClientView) -> Bool {
            !browsers.contains { $0 !== browser && $0.view === view }
        }

        func receive(_ message: Data, from browser: Browser) {
            let request: BrowserRequest
            do { request = try JSONDecoder().decode(BrowserRequest.self, from: message) } catch {
                return browser.send(Messages.problem("the message is not understood"))
            }
            if request.type == "close" { return browser.open(nil) }
            guard let view = views.first(where: { $0.watch.id == request.client }), let client = view.watch.client
            else {
                return browser.send(Messages.problem("there is no client \(request.client ?? 0)"))
            }
            switch request.type {
            case "watch":
                browser.watch(view)
                view.sync(browser, requests.all())
            case "open": browser.open(view.names.key(named: request.key ?? "").map { EntryView($0, view) })
            case "select": browser.select(Commands.item(request, view))
            case "preview": browser.send(Commands.preview(request, view, client))
            case "do":
                Commands.carryOut(request, view, client) { browser.sendFromAnywhere($0) }
                // A switch shows its new state at once.
                browser.send(view.state(of: client))
            default: browser.send(Messages.problem("\(request.type) is not known"))
            }
            browser.showEntry()
        }

        private func tick() {
            takeAdded()
            let changed = requests.takeChanges()
            for view in views {
                let watching = browsers.filter { $0.view === view }
                if watching.isEmpty { view.forget() } else { view.update(watching, changed, all: requests.all) }
            }
            for browser in browsers { browser.showEntry() }
        }

        private func takeAdded() {
            let new = added.withLock { added in
                defer { added.clients = [] }
                return added.clients
            }
            let gone = views.filter { $0.watch.client == nil }
            guard !new.isEmpty || !gone.isEmpty else { return }
            views.removeAll { view in gone.contains { $0 === view } }
            views += new.map { ClientView($0, options) }
            for browser in browsers { browser.send(Messages.clients(views.map(\.watch))) }
        }
    }
#endif

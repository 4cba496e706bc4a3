import PigeonFutures
import SeedSupport
import TestSupport
import Testing

extension ViewController {
    // "Strong callbacks"
    func strongCallbacks() {
        // [003.22
        dispatcher.future(from: request).then({ response -> [Post] in
            // [weak self] not needed as `self` is not called but it doesn't hurt
            return try response.decode([Post].self)
        }).response({ posts in
            self.show(posts)
        }).send()
        // 003.22]
    }

    // "Strong callbacks", what not to do
    func forcedUnwrapping() {
        // [003.23
        dispatcher.future(from: request).success({ response in
            // We are foce unwrapping a text field! DO NOT DO THIS!
            let textField = self.textField!

            // If we dealocated textField by the time the
            // response comes back, a crash will occur
            textField.text = "Success"
        }).send()
        // 003.23]
    }

    // "Strong reference to a ResponseFuture"
    func strongReference() {
        // [003.24
        self.postResponseFuture = dispatcher.future(from: request).then({ response in
            // [weak self] not needed as `self` is not called
            let posts = try response.decode([Post].self)
            return SuccessResponse<[Post]>(data: posts, response: response)
        }).response({ [weak self] response in
            // [weak self] needed as `self` is called
            self?.show(response.data)
        }).completion({ [weak self] in
            // [weak self] needed as `self` is called
            self?.postResponseFuture = nil
        })

        // Perform other logic, add delay, do whatever you would do that forced you
        // to store a reference to this ResponseFuture in the first place

        self.postResponseFuture?.send()
        // 003.24]
    }

    // "Strong reference to a ResponseFuture", what not to do
    func circularReference() {
        // [003.25
        self.strongResponseFuture = dispatcher.future(from: request).response({ response in
            // Both the `ResponseFuture` and `self` are held on by each other.
            // `self` will never be dealocated and neither will the future!
            self.show(response.data)
        }).send()
        // 003.25]
    }

    // "Weak reference to a ResponseFuture"
    func weakReference() {
        // [003.26
        self.weakResponseFuture = dispatcher.future(from: request).completion({
            // Always triggered
            self.journal.add("completion")
        }).send()

        // This ResponseFuture may or may not be nil at this point.
        // This depends on if the system is holding on to the
        // ResponseFuture as it is awaiting a response.
        // but the callbacks will always be triggered.
        // 003.26]
    }

    // "Weak reference to a ResponseFuture", what not to do
    func lostReference(_ expectation: Expectation) {
        // [003.27
        self.weakResponseFuture = dispatcher.future(from: request).completion({
            // [weak self]
            expectation.fulfill()
        })

        // WHOOPS!!!!
        // Our object is already nil because we have not established a strong reference to it.
        // The `send()` method will do nothing and no callback will be triggered.

        self.weakResponseFuture?.send()
        // 003.27]
    }
}

extension Seed003 {
    @MainActor
    struct Memory {
        private let posts = "[\(Asked.post)]"

        @Test func `strong callbacks hold self until the answer, and no longer`() async {
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let asked = Asked(posts, gate: gate)
            weak var watched: ViewController?
            let journal: Journal
            do {
                let controller = ViewController(asked)
                (watched, journal) = (controller, controller.journal)
                controller.strongCallbacks()
            }
            await until { asked.requests.count == 1 }
            #expect(watched != nil)
            opening.finish()
            await until { watched == nil }
            #expect(journal.take() == ["posts [7]"])
        }

        @Test func `what is unwrapped by force had better be there`() async {
            let controller = ViewController()
            let textField = TextField()
            controller.textField = textField
            controller.forcedUnwrapping()
            await until { textField.text == "Success" }
        }

        #if os(Linux) || os(macOS)
            @Test func `what is unwrapped by force and is not there ends the program`() async {
                await #expect(processExitsWith: .failure) { @MainActor in
                    ViewController().forcedUnwrapping()
                    while true { await Task.yield() }
                }
            }
        #endif

        @Test func `a future that is held with weak callbacks is let go at its completion`() async {
            let controller = ViewController(Asked(posts))
            controller.strongReference()
            #expect(controller.postResponseFuture != nil)
            await until { controller.postResponseFuture == nil }
            #expect(controller.journal.take() == ["posts [7]"])
        }

        @Test func `a future that is held with weak callbacks does not hold its owner`() async {
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            weak var watched: ViewController?
            do {
                let controller = ViewController(Asked(posts, gate: gate))
                watched = controller
                controller.strongReference()
            }
            await until { watched == nil }
            opening.finish()
        }

        // The README says of this one that neither is ever freed.
        @Test func `PiuPiu P2: the circle that the README warns of is broken at its end`() async {
            weak var watched: ViewController?
            let journal: Journal
            do {
                let controller = ViewController(Asked("four"))
                (watched, journal) = (controller, controller.journal)
                controller.circularReference()
            }
            await until { watched == nil }
            #expect(journal.take() == ["4 bytes"])
        }

        @Test func `a future that is held weakly after it was sent calls back, and is nil`() async {
            let controller = ViewController()
            controller.weakReference()
            #expect(await controller.journal.take(until: "completion") == ["completion"])
            await until { controller.weakResponseFuture == nil }
        }

        @Test func `a future that nobody holds before it is sent does nothing`() async {
            let asked = Asked()
            let controller = ViewController(asked)
            controller.lostReference(Expectation(name: "fulfilled", journal: controller.journal))
            #expect(controller.weakResponseFuture == nil)
            #expect(asked.requests == [] && controller.journal.take() == [])
        }
    }
}

import PigeonCore
import PigeonREST
import Testing

// Swift 5 mode only: that this code builds without warnings is the first half of each test.
#if !swift(>=6)

    /// An observer that is no view, of no actor.
    private class EventLog: ResourceObserver {
        var lines: [String] = []

        func resourceChanged(_ resource: Resource, event: ResourceEvent) {
            lines.append("\(event)")
        }

        func stoppedObserving(resource: Resource) {
            lines.append("stopped")
        }
    }

    /// An observer that only passes on what it is told.
    private struct Glue: ResourceObserver {
        let log: EventLog

        func resourceChanged(_ resource: Resource, event: ResourceEvent) {
            log.resourceChanged(resource, event: event)
        }
    }

    /// A model of no actor that observes resources.
    private class Model {
        let log = EventLog()
        let passedOn = EventLog()
        var count = 0
        let resource: Resource

        init(_ resource: Resource) {
            self.resource = resource
            resource.addObserver(log)
            resource.addObserver(Glue(log: passedOn), owner: self)
            let closure: ResourceObserverClosure = { [weak self] _, _ in self?.count += 1 }
            resource.addObserver(owner: self, closure: closure)
        }

        func rename(to name: String) {
            var user = resource.jsonDict
            user["name"] = name
            resource.overrideLocalContent(with: user)
        }
    }

    @MainActor
    @Suite("Code of no actor, in Swift 5 mode")
    struct CodeOfNoActorTests {
        private let service = Service(baseURL: "https://api.test", client: QueryClient())

        @Test("U10: observers that are no views are made and added in code of no actor")
        func observers() {
            let model = Model(service.resource("/users/1"))
            #expect(model.log.lines == ["observerAdded"])
            #expect(model.passedOn.lines == ["observerAdded"])
            #expect(model.count == 1)
        }

        @Test("U3: JSON is edited and shown again, in Swift 5 as in 6")
        func editing() {
            let resource = service.resource("/users/1")
            resource.overrideLocalContent(with: ["name": "Ann", "age": 36])
            let model = Model(resource)
            model.rename(to: "Bob")
            #expect(resource.jsonDict["name"] as? String == "Bob")
            #expect(resource.jsonDict["age"] as? Double == 36)
            #expect(model.log.lines == ["observerAdded", "newData(localOverride)"])
        }
    }
#endif

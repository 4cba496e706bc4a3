import PigeonREST
import PigeonTesting
import TestSupport
import Testing

extension SiestaLogTests {
    @Test("times that are set for other methods than GET alone are warned of", .rule("Siesta S32"))
    func times() async {
        let bench = RESTBench()
        await logging([.configuration]) {
            bench.service.configure("/warned-of", requestMethods: [.post]) { $0.expirationTime = 7 }
            bench.service.configure("/fine", requestMethods: [.post]) { $0.headers["A"] = "b" }
            bench.service.configure("/fine", requestMethods: [.get, .post]) { $0.expirationTime = 7 }
        }
        let warnings = lines.all.filter {
            $0.contains("count for GET") && ($0.contains("/fine") || $0.contains("/warned"))
        }
        #expect(warnings == ["configuration /warned-of: expirationTime and retryTime count for GET only"])
    }
}

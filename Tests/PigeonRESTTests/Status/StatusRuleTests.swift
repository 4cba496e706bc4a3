import PigeonREST
import TestSupport
import Testing

@Suite("Status rules")
struct StatusRuleTests {
    typealias Part = ResourceStatus.Part

    private static let error = RequestError(userMessage: "first", cause: Mishap())
    private static let other = RequestError(userMessage: "second", cause: Mishap())
    private static let empty = Part()
    private static let loading = Part(isLoading: true)
    private static let data = Part(hasContent: true)
    private static let failed = Part(latestError: error)
    private static let all = Part(isLoading: true, hasContent: true, latestError: error)

    struct Case: Sendable, CustomTestStringConvertible {
        var rules: [StatusRule]
        var parts: [Part]
        var expected: ResourceStatus
        var isManual = false

        var testDescription: String { "\(rules.map(\.rawValue)) of \(parts.count): \(expected.name)" }
    }

    private static let failure = ResourceStatus.failure(error, index: 0, canRetry: true)

    static let cases: [Case] = [
        // Each rule alone.
        Case(rules: [.loading], parts: [data, loading], expected: .loading),
        Case(rules: [.loading], parts: [data, empty], expected: .nothing),
        Case(rules: [.manualLoading], parts: [empty], expected: .loading, isManual: true),
        Case(rules: [.manualLoading], parts: [loading], expected: .nothing),
        Case(rules: [.anyData], parts: [empty, data], expected: .content),
        Case(rules: [.anyData], parts: [empty, loading], expected: .nothing),
        Case(rules: [.allData], parts: [empty, data], expected: .nothing),
        Case(rules: [.allData], parts: [data, data], expected: .content),
        Case(rules: [.allData], parts: [], expected: .nothing),
        Case(rules: [.alwaysData], parts: [empty], expected: .content),
        Case(rules: [.error], parts: [empty, data], expected: .nothing),
        Case(rules: [.error], parts: [failed], expected: failure),
        // The first of several errors, with the index of its resource.
        Case(
            rules: [.error], parts: [data, Part(latestError: other), failed],
            expected: .failure(other, index: 1, canRetry: true)),
        Case(
            rules: [.error], parts: [Part(latestError: error, canReload: false)],
            expected: .failure(error, index: 0, canRetry: false)),
        // The order decides.
        Case(rules: [.loading, .error, .anyData], parts: [all], expected: .loading),
        Case(rules: [.error, .loading, .anyData], parts: [all], expected: failure),
        Case(rules: [.anyData, .loading, .error], parts: [all], expected: .content),
        Case(rules: [], parts: [all], expected: .nothing),
        // The predefined lists.
        Case(rules: .loadingFirst, parts: [failed, data], expected: failure),
        Case(rules: .standard, parts: [failed, data], expected: .content),
        Case(rules: .standard, parts: [failed, loading], expected: .loading),
        Case(rules: .noError, parts: [failed], expected: .nothing),
        Case(rules: .noError, parts: [failed, loading], expected: .loading),
        Case(rules: .dataOnly, parts: [failed, loading], expected: .nothing),
        Case(rules: .dataOnly, parts: [all], expected: .content),
    ]

    @Test("the first rule that applies decides", .rule("Siesta 38"), arguments: cases)
    func decides(on example: Case) {
        let status = ResourceStatus.of(
            example.parts, priority: example.rules, isManualLoading: example.isManual)
        #expect(status == example.expected)
    }

    @Test("without a list, loads go first, then errors, then content", .rule("Siesta 38"))
    func usual() {
        #expect(ResourceStatus.of([Self.all]) == .loading)
        #expect(ResourceStatus.of([Self.failed, Self.data]) == Self.failure)
        #expect(ResourceStatus.of([Self.data]) == .content)
    }

    @Test("content, and nothing to say, hide an overlay", .rule("Siesta 38"))
    func hidden() {
        #expect(ResourceStatus.content.isHidden)
        #expect(ResourceStatus.nothing.isHidden)
        #expect(!ResourceStatus.loading.isHidden)
        #expect(!Self.failure.isHidden)
    }

    @Test("A failure tells its error; statuses with other errors, resources or ways out differ", .rule("R5"))
    func differ() {
        #expect(Self.failure.error?.userMessage == "first")
        #expect(ResourceStatus.loading.error == nil)
        #expect(Self.failure != .failure(Self.other, index: 0, canRetry: true))
        #expect(Self.failure != .failure(Self.error, index: 1, canRetry: true))
        #expect(Self.failure != .failure(Self.error, index: 0, canRetry: false))
        #expect(Self.failure != .loading)
        #expect(ResourceStatus.content != .nothing)
    }
}

extension ResourceStatus {
    /// The name of the case, or the error's message with its index.
    var name: String {
        switch self {
        case .loading: "loading"
        case .content: "content"
        case .nothing: "nothing"
        case .failure(let error, let index, let canRetry):
            "\(error.userMessage) of \(index)\(canRetry ? "" : ", final")"
        }
    }
}

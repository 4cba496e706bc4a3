import PigeonStore

/// An error with a name.
struct Broken: Error, Equatable {
    let name: String

    init(_ name: String) {
        self.name = name
    }
}

typealias Text = LoadingState<String>

let nothing = Text.loading(content: nil)

func loading(_ content: String?) -> Text { .loading(content: content) }

func failed(_ name: String) -> Text { .error(rawError: Broken(name)) }

func completed(
    _ content: String, next: AdditionalLoadingState = .fixed(canRequestAdditionalData: false),
    prev: AdditionalLoadingState = .fixed(canRequestAdditionalData: false)
) -> Text {
    .completed(content: content, next: next, prev: prev)
}

let more = AdditionalLoadingState.fixed(canRequestAdditionalData: true)
let noMore = AdditionalLoadingState.fixed(canRequestAdditionalData: false)
let page = AdditionalLoadingState.loading

func failedPage(_ name: String) -> AdditionalLoadingState { .error(rawError: Broken(name)) }

extension AdditionalLoadingState {
    /// A short text for the whole state.
    var word: String {
        switch self {
        case .fixed(let more): more ? "more" : "end"
        case .loading: "page"
        case .error(let error): "!\((error as? Broken)?.name ?? "\(error)")"
        }
    }
}

extension LoadingState {
    /// A short text for the whole state: `a` for content, `a…` or `…` while loading, `!x` for an error. The states of
    /// both pages follow, unless neither side has more.
    var word: String {
        switch self {
        case .loading(let content): (content.map { "\($0)" } ?? "") + "…"
        case .completed(let content, let next, let prev):
            next.word == "end" && prev.word == "end" ? "\(content)" : "\(content) \(next.word) \(prev.word)"
        case .error(let error): "!\((error as? Broken)?.name ?? "\(error)")"
        }
    }
}

extension LoadingState {
    /// The ``word``, but of an error its ``name``.
    var brief: String { error.map { "!\($0.name)" } ?? word }
}

extension Error {
    /// The name of a ``Broken`` error, otherwise the name of the type.
    var name: String { (self as? Broken)?.name ?? "\(type(of: self as any Error))" }
}

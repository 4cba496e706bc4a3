public import OpenCombine

// The operators that OpenCombine lacks. They are compiled and never called, so they send nothing. The real ones return
// `Publishers.CombineLatest` and its variants.

extension Publisher {
    /// `combineLatest(_:)`
    public func combineLatest<P: Publisher>(_ other: P) -> AnyPublisher<(Output, P.Output), Failure>
    where P.Failure == Failure {
        AnyPublisher(Empty())
    }

    /// `combineLatest(_:_:)`
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        AnyPublisher(Empty())
    }

    /// `combineLatest(_:_:)`
    public func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q) -> AnyPublisher<
        (Output, P.Output, Q.Output), Failure
    >
    where P.Failure == Failure, Q.Failure == Failure {
        AnyPublisher(Empty())
    }

    /// `combineLatest(_:_:_:)`
    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        AnyPublisher(Empty())
    }

    /// `combineLatest(_:_:_:)`
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> AnyPublisher<(Output, P.Output, Q.Output, R.Output), Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        AnyPublisher(Empty())
    }

    /// `combineLatest(_:_:_:_:)`
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        AnyPublisher(Empty())
    }
}

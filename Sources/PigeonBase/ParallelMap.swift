#if canImport(Dispatch)
    internal import Dispatch
#endif

extension Array where Element: Sendable {
    /// Converts pieces of the array on several threads, and waits for all of them.
    ///
    /// - Parameters:
    ///   - size: The size of a piece. An array that is not larger is converted on the calling thread.
    ///   - convert: Converts one piece.
    /// - Returns: The results, in the order of the elements.
    package func inParallel<Result: Sendable>(
        pieces size: Int, _ convert: @Sendable (ArraySlice<Element>) -> [Result]
    ) -> [Result] {
        let starts = Array<Int>(Swift.stride(from: 0, to: count, by: size))
        guard starts.count > 1 else { return convert(self[...]) }
        @Sendable func piece(_ index: Int) -> ArraySlice<Element> {
            self[starts[index]..<Swift.min(starts[index] + size, count)]
        }
        #if canImport(Dispatch)
            let results = Locked([[Result]](repeating: [], count: starts.count))
            DispatchQueue.concurrentPerform(iterations: starts.count) { index in
                let result = convert(piece(index))
                results.withLock { $0[index] = result }
            }
            return results.withLock { $0 }.flatMap { $0 }
        #else
            return starts.indices.flatMap { convert(piece($0)) }
        #endif
    }
}

extension ResponseFuture {
    /// A future with the values of others, which run side by side, in the order of the others.
    ///
    /// The first that fails or is cancelled ends the whole, and cancels the others. None at all give no values.
    public convenience init<Child>(childFutures: some Sequence<ResponseFuture<Child>>) where T == [Child] {
        let children = Array(childFutures)
        self.init(FutureCore { $0.gather(children) })
    }

    /// A future with the values of others, which are made when it is started. `nil` cancels.
    ///
    /// ```swift
    /// ResponseFuture<[Post]> { ids.map { fetchPost(for: $0) } }
    /// ```
    public convenience init<Child>(
        @_inheritActorContext childFutures: @escaping @isolated(any) @Sendable () throws -> [ResponseFuture<Child>]?
    ) where T == [Child] {
        self.init(
            FutureCore { core in
                core.begin {
                    guard let children = try await core.run(on: childFutures.isolation, { try await childFutures() })
                    else { return core.finish(.cancelled) }
                    core.gather(children)
                }
            })
    }
}

extension FutureCore {
    /// Starts futures side by side and ends with their values.
    func gather<Child>(_ children: [ResponseFuture<Child>]) where T == [Child] {
        guard !children.isEmpty else { return finish(.success([])) }
        let values = FutureValues<(missing: Int, values: [Child?]), [Child]>(
            (children.count, Array(repeating: nil, count: children.count))
        ) { values in
            values.missing == 0 ? values.values.compactMap(\.self) : nil
        }
        let group = FutureGroup(of: self)
        for (index, child) in children.enumerated() {
            group.add(child) { value in
                values.store {
                    $0.values[index] = .some(value)
                    $0.missing -= 1
                }
            }
        }
        group.start()
    }
}

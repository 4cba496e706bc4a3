package import PigeonREST

extension GitHubAPI {
    /// Stars a repository, or takes the star away. It shows at once, with the count, and is made when there is a network,
    /// be it after the next start. A change that has not been sent yet is taken back by the opposite one.
    ///
    /// - Returns: The change, whose answer can be waited for. `nil` if there is nothing to change.
    /// - Throws: An error of the outbox, if the change cannot be recorded.
    @discardableResult
    package func setStarred(
        _ isStarred: Bool, _ repository: Repository
    ) async throws -> EnqueuedMutation<Entity<any Sendable>>? {
        let starred = currentUserStarred(repository)
        guard starred.content != isStarred else { return nil }
        if let waiting = changes(of: starred).last {
            try await client.outbox.discard(waiting.id)
            return nil
        }
        return try await starred.resource.enqueue(
            isStarred ? .put : .delete, reloading: [self.repository(repository).resource])
    }

    /// The stars that are not on GitHub yet, of one repository.
    package func changes(of starred: TypedResource<Bool>) -> [OutboxItem] {
        client.outbox.items(editing: starred.watched)
    }

    /// Shows stars that wait, and counts them.
    static func showWaitingStars(in service: Service) {
        service.configure("/user/starred/*/*", requestMethods: [.get], description: "stars that wait") {
            $0.optimistic { (isStarred: inout Bool, request) in isStarred = request.givesStar }
        }
        service.configure("/repos/*/*", requestMethods: [.get], description: "the count of stars that wait") {
            $0.optimistic { (repository: inout Repository, request) in
                repository.starCount = max(repository.starCount + (request.givesStar ? 1 : -1), 0)
            }
        }
    }
}

extension RecordedRequest {
    /// False if it takes a star away.
    package var givesStar: Bool { method == .put }
}

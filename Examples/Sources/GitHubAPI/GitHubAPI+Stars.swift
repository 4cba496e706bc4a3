package import PigeonREST

extension GitHubAPI {
    /// Stars a repository, or takes the star away. It shows at once, with the count, and is put back if GitHub refuses.
    ///
    /// - Returns: The request, under way.
    @discardableResult
    package func setStarred(_ isStarred: Bool, _ repository: Repository) -> any ResourceRequest {
        let starred = currentUserStarred(repository)
        let counted = self.repository(repository)
        let takeBack: [@Sendable () -> Void] =
            if starred.content == !isStarred {
                [starred.guess { _ in isStarred }, counted.guess { $0.starred(isStarred) }].compactMap { $0 }
            } else {
                []
            }
        return starred.resource.request(isStarred ? .put : .delete)
            .onSuccess { _ in
                if starred.content != isStarred { starred.load() }
                counted.load()
            }
            .onFailure { error in
                // Who signed out meanwhile has forgotten all of it.
                guard !error.isCancellation else { return }
                for takeBack in takeBack { takeBack() }
            }
    }
}

extension TypedResource where T: Equatable {
    /// Shows what the server has not agreed to yet.
    ///
    /// - Returns: Puts back what was there; `nil` where there is nothing that a guess could be made of.
    fileprivate func guess(_ change: (T) -> T) -> (@Sendable () -> Void)? {
        guard let before = resource.latestData, let guessed = content.map(change) else { return nil }
        overrideLocalContent(with: guessed)
        return {
            // What came meanwhile is better than either.
            guard content == guessed else { return }
            resource.overrideLocalData(with: before)
        }
    }
}

extension Repository {
    fileprivate func starred(_ isStarred: Bool) -> Repository {
        var repository = self
        repository.starCount = max(starCount + (isStarred ? 1 : -1), 0)
        return repository
    }
}

package import Pigeon

/// A card in the README's example app.
package struct Card: Codable, Sendable, Equatable {
    package let name: String

    package init(name: String) {
        self.name = name
    }
}

/// Requests a page of cards. All pages have the same cards.
package struct GetCardsRequest {
    package struct Answer {
        package let cards: [Card]
    }

    package init() {}

    package func execute() -> AnyPublisher<Answer, any Error> {
        Just(Answer(cards: [Card(name: "Ace"), Card(name: "King")])).setFailureType(to: (any Error).self)
            .eraseToAnyPublisher()
    }
}

package struct CardDetailRequest {
    package struct Answer {
        package let card: Card
    }

    private let cardId: String

    package init(cardId: String) {
        self.cardId = cardId
    }

    package func execute() -> AnyPublisher<Answer, any Error> {
        Just(Answer(card: Card(name: "Card \(cardId)"))).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
}

internal import Foundation
internal import PigeonCore

/// Knows which mutations wait for an identifier that the server has not assigned yet.
///
/// The creation of a temporary identifier is the first mutation that has it. If the creation ends and the server has
/// assigned nothing, the identifier is abandoned, and the store keeps that, so that no later mutation counts as the
/// creation.
extension OutboxState {
    /// The mutation that creates the object of a temporary identifier. `nil` if it is gone.
    func creation(of token: UUID) -> Int64? {
        abandoned.contains(token) ? nil : mentions[token]?.first
    }

    /// The mutations that must assign identifiers before this one can be executed.
    func creations(beforeNumber number: Int64, _ item: Item) -> [Int64] {
        item.options.tokens.compactMap { token in
            guard assigned[token] == nil, let creation = creation(of: token), creation != number else { return nil }
            return creation
        }
    }

    /// True if a mutation waits for the creation of an identifier, and the creation is set aside, or waits in the same way.
    func isHeld(_ number: Int64) -> Bool {
        guard let item = items[number], !item.options.tokens.isEmpty else { return false }
        var (seen, open): (Set<Int64>, [Int64]) = ([number], creations(beforeNumber: number, item))
        while let creation = open.popLast() {
            guard seen.insert(creation).inserted, let item = items[creation] else { continue }
            if item.isSetAside { return true }
            open += creations(beforeNumber: creation, item)
        }
        return false
    }

    mutating func noteMentions(by number: Int64, _ options: OutboxItemOptions) {
        for token in options.tokens {
            let place = place(of: number, in: mentions[token] ?? [])
            mentions[token, default: []].insert(number, at: place)
        }
    }

    mutating func forgetMentions(by number: Int64, _ options: OutboxItemOptions) {
        for token in options.tokens {
            guard let numbers = mentions[token] else { continue }
            let place = place(of: number, in: numbers)
            guard place < numbers.count, numbers[place] == number else { continue }
            if numbers.count == 1 { mentions[token] = nil } else { mentions[token]?.remove(at: place) }
        }
    }

    private func place(of number: Int64, in numbers: [Int64]) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The temporary identifiers that a mutation creates, and for which the server has assigned none.
    func created(by number: Int64) -> Set<UUID> {
        guard let item = items[number] else { return [] }
        return item.options.tokens.filter { assigned[$0] == nil && creation(of: $0) == number }
    }

    /// Adds the abandoned identifiers of a mutation to a batch.
    ///
    /// - Parameter kept: The identifiers that the mutation that replaces it still has.
    func abandon(identifiersOf number: Int64, but kept: Set<UUID>, _ batch: inout OutboxBatch) {
        for token in created(by: number).subtracting(kept) {
            let id = AssignedID(abandoned: token)
            batch.abandoned.append(id)
            batch.changes.append(.assign(id, session: session))
        }
    }
}

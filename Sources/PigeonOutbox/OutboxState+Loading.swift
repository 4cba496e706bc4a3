internal import Foundation
internal import PigeonCore

// Takes the records of a store.
extension OutboxState {
    mutating func load(
        _ changes: MutationChanges, _ loaded: [Item], _ epoch: Int, _ effects: inout [OutboxEffect]
    ) {
        guard epoch == self.epoch else {
            for item in loaded { if let layer = item.layer { effects.append(.hide(layer)) } }
            return
        }
        if changes.revision < revision, revision >= 0 {
            // The store has begun anew, and is read whole.
            (revision, isOutdated) = (-1, true)
        } else {
            revision = changes.revision
        }
        for problem in changes.problems { note(problem) }
        items.reserveCapacity(items.count + loaded.count)
        for item in loaded {
            let number = item.record.number
            guard let known = items[number], known.record.isOfSameMutation(as: item.record) else {
                // The number is that of a mutation in a store that has begun anew.
                if items[number]?.layer?.id == item.layer?.id { items[number]?.layer = nil }
                remove(number, failing: OutboxError.noAnswer, &effects)
                add(item)
                continue
            }
            guard known.record.revision != item.record.revision else {
                if let layer = item.layer, layer.id != known.layer?.id { effects.append(.hide(layer)) }
                continue
            }
            // The record was changed by another client.
            effects.append(.release(known))
            items[number]?.adopt(item, &effects)
            adopt(item.options, number)
            ready.insert(number)
            guard item.isSetAside else { continue }
            let error = item.error ?? OutboxError.noAnswer(name: item.record.mutation.name)
            for outcome in known.outcomes { effects.append(.end(outcome, .failure(error))) }
            items[number]?.outcomes = []
            considerFollowers(of: item)
        }
        let present = Set(changes.numbers)
        for number in items.keys where !present.contains(number) {
            guard let item = items[number], item.stage == .waiting || item.stage == .ending else { continue }
            // Another client has executed or discarded the mutation.
            if !item.isOver { effects.append(.emit(OutboxEvent(.discarded, of: item, .otherProcess))) }
            if let layer = item.layer { effects.append(.confirm(layer)) }
            items[number]?.layer = nil
            remove(number, failing: OutboxError.noAnswer(name:), &effects)
        }
        // After the edits of mutations that other clients have executed, which are now part of the values.
        add(changes.assigned, &effects)
    }
}

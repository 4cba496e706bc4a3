/// The entries that are behind the newest items.
extension ItemIndex {
    /// The entries that can take newer items now, least recently used first.
    func lags() -> [ItemLag] {
        behind.values.sorted { $0.lastUsed < $1.lastUsed }.compactMap { slot in
            guard let contents = slot.extras?.contents, contents.changes.isEmpty, let base = slot.entry.base else {
                return nil
            }
            var lag = ItemLag(base: EntryBase(slot), value: base, containment: contents.containment)
            for key in contents.behind {
                guard let holders = items[key], wanted[key] == nil, !mustWait(slot, for: holders.origin) else {
                    continue
                }
                if let news = news[key], news.order == holders.order {
                    lag.add(key, holders.order, .items(news.items, change: news.number), from: holders.origin)
                    lag.older.formUnion(news.older)
                } else if let source = source(of: key, holders, besides: slot), let other = source.extras?.contents,
                    let value = source.entry.confirmedValue
                {
                    lag.add(key, holders.order, .value(value, other.containment), from: holders.origin)
                    lag.older.formUnion(other.behind)
                } else if !holders.slots.contains(where: { $0 !== slot && isUnsettled($0) }) {
                    lag.add(key, holders.order, .none, from: nil)
                }
            }
            return lag.items.isEmpty ? nil : lag
        }
    }

    /// True while an entry shows changes that the newest item may have already: those that its mutation brought, and those
    /// that were confirmed and are not part of the server's value yet. They would be shown twice.
    private func mustWait(_ slot: Slot, for origin: ItemOrigin?) -> Bool {
        guard let layers = slot.entry.stack?.list else { return false }
        return layers.contains { $0.isConfirmed || $0.patch.mutation == origin?.mutation }
    }

    /// An entry whose server's value has the newest item.
    func source(of key: ItemKey, _ holders: Holders, besides slot: Slot) -> Slot? {
        func isSource(_ other: Slot) -> Bool {
            guard other !== slot, !isUnsettled(other), let contents = other.extras?.contents else { return false }
            return !contents.behind.contains(key) && !contents.refused.contains(key)
                && other.entry.confirmedValue != nil
                && (other.entry.stack == nil || contents.isKnown(key))
        }
        return holders.slots.first { isSource($0) && $0.extras?.contents?.behind.isEmpty == true }
            ?? holders.slots.first(where: isSource)
    }

    /// True if it is not known which items an entry has, because its value has not been read.
    private func isUnsettled(_ slot: Slot) -> Bool { slot.extras?.contents?.changes.isEmpty == false }

    /// Notes that an entry has taken items, unless there are newer ones by now.
    func caughtUp(_ lag: ItemLag) {
        guard let contents = lag.base.slot.extras?.contents else { return }
        var caughtUp: [ItemKey] = []
        for (key, order, source) in lag.items {
            guard let place = items.index(forKey: key), items.values[place].order == order else { continue }
            contents.behind.remove(key)
            caughtUp.append(key)
            // The newest is gone, so nothing is known of the rest.
            if case .none = source { items.values[place].order = .unknown }
        }
        if contents.behind.isEmpty { behind[ObjectIdentifier(lag.base.slot)] = nil }
        guard !behind.isEmpty else { return dropAll() }
        for key in caughtUp where news[key] != nil && items[key].map({ !isAwaited(key, $0) }) ?? true { drop(key) }
    }

    private func dropAll() {
        dropped += Array(news.values)
        news = [:]
    }
}

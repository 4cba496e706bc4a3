internal import PigeonCore

extension RecordStoreCheck {
    func checkPaths() throws {
        try fill()
        for path in Self.keys {
            try expectRecords(Self.samples.filter { $0.key.isWithin(path) }, under: path)
        }
        try expectRecords([:], under: QueryKey("a", "b", "c", "d"))
    }

    func checkRemovalByKey() throws {
        var expected = Self.samples
        try fill()
        for (index, key) in Self.keys.enumerated() {
            expected[key] = nil
            // One way to remove a key after the other.
            if index.isMultiple(of: 2) {
                try store.apply([.remove(key)])
            } else {
                try store.apply([], removing: [.key(key)])
            }
            try expectRecords(expected)
        }
    }

    func checkRemovalByPath() throws {
        for path in Self.keys {
            try fill()
            try store.apply([], removing: [.path(path)])
            try expectRecords(Self.samples.filter { !$0.key.isWithin(path) })
        }
    }

    /// Records with tags that come close to each other.
    static let tagged: [QueryKey: QueryRecord] = [
        "a": record("1", tags: ["feed", "user"]), "b": record("2", tags: ["fee"]),
        "c": record("3", tags: ["feeds", ""]), "d": record("4"), "feed": record("5"),
        "e": record("6", tags: ["x", "feed", "caf\u{E9}"]),
        "f": record("7", tags: ["Feed"]),
    ]

    func checkRemovalByTag() throws {
        // The last two are the same text in different Unicode forms.
        for tag in ["feed", "", "x", "user", "none", "caf\u{E9}", "cafe\u{301}"] {
            try fill(with: Self.tagged)
            try store.apply([], removing: [.tag(tag)])
            try expectRecords(Self.tagged.filter { !$0.value.tags.contains(tag) })
        }
    }

    func checkRemovalOfAll() throws {
        let removals: [() throws -> Void] = [
            { try store.apply([.removeAll]) }, { try store.apply([], removing: [.all]) }, { try store.removeAll() },
        ]
        for remove in removals {
            try fill()
            try remove()
            try expectRecords([:])
            try store.apply([.save(Self.record("next"), for: "a")])
            try expectRecords(["a": Self.record("next")])
        }
    }

    func checkRemovalBeforeChanges() throws {
        try fill()
        let (new, key) = (Self.record("new", tags: ["t"]), QueryKey("a", "b"))
        try store.apply([.save(new, for: key)], removing: [.path("a"), .key("ab"), .tag("t")])
        var expected = Self.samples.filter { !$0.key.isWithin("a") && $0.key != "ab" }
        expected[key] = new
        try expectRecords(expected)
        try store.apply([.save(new, for: "x")], removing: [.all])
        try expectRecords(["x": new])
    }

    func checkMarks() throws {
        for path in Self.keys {
            try fill()
            try expectMarks(.path(path), Self.samples)
            try fill()
            try expectMarks(.key(path), Self.samples)
        }
        for scope in [QueryRecordScope.tag("feed"), .tag(""), .tag("cafe\u{301}"), .tag("none"), .all] {
            try fill(with: Self.tagged)
            try expectMarks(scope, Self.tagged)
        }
    }

    private func expectMarks(_ scope: QueryRecordScope, _ records: [QueryKey: QueryRecord]) throws {
        try store.apply([.markStale(scope)])
        var expected = records
        for (key, record) in records where scope.contains(key, tags: record.tags) { expected[key]?.isStale = true }
        try expectRecords(expected)
    }
}

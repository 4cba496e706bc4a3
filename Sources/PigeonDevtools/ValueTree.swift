#if Devtools
    extension JSONText {
        /// Writes a value as a tree. Large values are cut, so that showing them neither stops the program for long nor
        /// floods the browser.
        ///
        /// - Parameter types: The types whose values are not shown, wherever they are.
        mutating func write(tree value: Any, hiding types: [any Sendable.Type]) {
            var budget = ValueTree.nodeLimit
            let hidden = Set(types.map { ObjectIdentifier($0) })
            write(ValueTree(value, hidden), hidden, name: nil, depth: 0, &budget)
        }

        private mutating func write(
            _ tree: ValueTree, _ hidden: Set<ObjectIdentifier>, name: String?, depth: Int, _ budget: inout Int
        ) {
            budget -= 1
            var left = budget
            object { json in
                json.field("name", name)
                json.field("type", tree.type)
                json.field("text", tree.text)
                guard !tree.children.isEmpty else { return }
                let shown = depth < ValueTree.depthLimit ? min(tree.children.count, ValueTree.childLimit) : 0
                var written = 0
                json.array("children") { json in
                    for (name, child) in tree.children.prefix(shown) where left > 0 {
                        json.write(ValueTree(child, hidden), hidden, name: name, depth: depth + 1, &left)
                        written += 1
                    }
                }
                if written < tree.children.count { json.field("count", tree.children.count) }
            }
            budget = left
        }
    }

    /// True if a value contains a value of one of these types, or too many parts to check.
    func holdsHidden(_ value: Any, _ types: [any Sendable.Type]) -> Bool {
        let hidden = Set(types.map { ObjectIdentifier($0) })
        guard !hidden.isEmpty else { return false }
        var (left, count) = ([value], 0)
        while let next = left.popLast() {
            count += 1
            guard count < 100_000, !ValueTree.isHidden(next, hidden) else { return true }
            left += Mirror(reflecting: next).children.map(\.value)
        }
        return false
    }

    /// A value as a browser shows it: a text, or parts.
    private struct ValueTree {
        static let nodeLimit = 3000
        static let childLimit = 200
        static let depthLimit = 12
        private static let textLimit = 2000

        let type: String
        let text: String?
        let children: [(name: String?, value: Any)]

        init(_ value: Any, _ hidden: Set<ObjectIdentifier>) {
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional {
                guard let wrapped = mirror.children.first?.value else {
                    (type, text, children) = (String(describing: Swift.type(of: value)), "nil", [])
                    return
                }
                self = ValueTree(wrapped, hidden)
                return
            }
            type = String(describing: Swift.type(of: value))
            (text, children) =
                Self.isHidden(value, hidden) ? ("hidden", []) : Self.content(of: value, mirror, hidden)
        }

        static func isHidden(_ value: Any, _ hidden: Set<ObjectIdentifier>) -> Bool {
            !hidden.isEmpty && hidden.contains(ObjectIdentifier(Swift.type(of: value)))
        }

        private static func content(
            of value: Any, _ mirror: Mirror, _ hidden: Set<ObjectIdentifier>
        ) -> (text: String?, children: [(name: String?, value: Any)]) {
            switch value {
            case let text as String: return (quoted(text), [])
            case let text as Substring: return (quoted(String(text)), [])
            case is any BinaryInteger, is any BinaryFloatingPoint, is Bool: return ("\(value)", [])
            default: break
            }
            // Foundation's types, such as dates and URLs, are best known by their descriptions.
            if mirror.children.isEmpty && !mirror.isContainer || isOfFoundation(value) {
                return (shortened("\(value)"), [])
            }
            if mirror.displayStyle == .dictionary { return pairs(of: mirror, hidden) }
            let children = mirror.children.prefix(childLimit * 50).enumerated().map { index, child in
                (name: mirror.isContainer ? "\(index)" : child.label, value: child.value)
            }
            return (children.isEmpty ? "empty" : nil, children)
        }

        private static func isOfFoundation(_ value: Any) -> Bool {
            String(reflecting: Swift.type(of: value)).hasPrefix("Foundation")
        }

        private static func pairs(
            of mirror: Mirror, _ hidden: Set<ObjectIdentifier>
        ) -> (text: String?, children: [(name: String?, value: Any)]) {
            let pairs = mirror.children.compactMap { child -> (name: String?, value: Any)? in
                let parts = Array(Mirror(reflecting: child.value).children)
                guard parts.count == 2 else { return nil }
                let name = isHidden(parts[0].value, hidden) ? "hidden" : shortened("\(parts[0].value)")
                return (name, parts[1].value)
            }
            return (pairs.isEmpty ? "empty" : nil, pairs.sorted { ($0.name ?? "") < ($1.name ?? "") })
        }

        private static func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

        private static func shortened(_ text: String) -> String {
            text.utf8.count > textLimit ? "\(text.prefix(textLimit))…" : text
        }
    }

    extension Mirror {
        fileprivate var isContainer: Bool {
            switch displayStyle {
            case .collection, .set, .dictionary: true
            default: false
            }
        }
    }
#endif

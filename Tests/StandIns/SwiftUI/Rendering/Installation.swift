@_spi(Reflection) import Swift

/// Connects the properties of a view (or of a modifier) with what its place in the tree keeps for them.
@MainActor
struct Installation {
    let node: Node

    /// Connects all properties of `value` in place, the innermost first, and calls their `update()`.
    func install<Value>(_ value: inout Value) {
        withUnsafeMutablePointer(to: &value) { pointer in
            installFields(of: Value.self, at: UnsafeMutableRawPointer(pointer), offset: 0)
        }
    }

    private func installFields(of type: Any.Type, at base: UnsafeMutableRawPointer, offset: Int) {
        var fields: [(offset: Int, type: any DynamicProperty.Type)] = []
        _ = _forEachField(of: type, options: []) { _, offset, type, _ in
            if let property = type as? any DynamicProperty.Type { fields.append((offset, property)) }
            return true
        }
        for field in fields { installField(field.type, at: base, offset: offset + field.offset) }
    }

    private func installField<Property: DynamicProperty>(
        _ type: Property.Type, at base: UnsafeMutableRawPointer, offset: Int
    ) {
        let pointer = (base + offset).assumingMemoryBound(to: type)
        if type is any Installable.Type {
            pointer.pointee = installed(pointer.pointee, offset: offset)
        } else {
            installFields(of: type, at: base, offset: offset)
            pointer.pointee.update()
        }
    }

    private func installed<Property>(_ property: Property, offset: Int) -> Property {
        guard var installable = property as? any Installable else { return property }
        installable.install(in: node, slot: offset)
        return (installable as? Property) ?? property
    }
}

/// A property of the screen's own that is connected with a node.
@MainActor
protocol Installable: DynamicProperty {
    /// Connects the property; what it keeps goes to `node.slots[slot]`.
    mutating func install(in node: Node, slot: Int)
}

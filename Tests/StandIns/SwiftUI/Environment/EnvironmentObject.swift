/// Stands for `SwiftUI.EnvironmentObject`.
@MainActor
@preconcurrency
@propertyWrapper
public struct EnvironmentObject<ObjectType: ObservableObject>: DynamicProperty {
    nonisolated(unsafe) private var object: ObjectType?  // set before the view is installed, and on the main actor

    /// Stands for `EnvironmentObject.init()`.
    nonisolated public init() {
        object = nil
    }

    /// Stands for `EnvironmentObject.wrappedValue`.
    public var wrappedValue: ObjectType {
        guard let object else {
            fatalError("No \(ObjectType.self) in the environment: environmentObject(_:) must put it in above this view")
        }
        return object
    }

    /// Stands for `EnvironmentObject.projectedValue`.
    public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }
}

extension EnvironmentObject: Installable {
    mutating func install(in node: Node, slot: Int) {
        let (value, read) = EnvironmentRead.read(from: node.surroundings.environment) { $0.object(ObjectType.self) }
        node.environmentReads.append(read)
        object = value
        ObjectObservation.follow(value, in: node, slot: slot)
    }
}

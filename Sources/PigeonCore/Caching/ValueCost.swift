internal import Foundation

/// Estimates what a value takes in memory, when its definition does not say.
package enum ValueCost {
    /// Bytes: exact for data and strings, element count × stride for arrays, the inline size otherwise.
    package static func estimate<T>(_ value: T) -> Int {
        let inline = MemoryLayout<T>.size
        return switch value {
        case let data as Data: inline + data.count
        case let string as String: inline + string.utf8.count
        case let sized as any CostEstimating: inline + sized.estimatedCost
        default: inline
        }
    }
}

/// A container that can tell its own size without walking through its elements.
package protocol CostEstimating {
    var estimatedCost: Int { get }
}

extension Array: CostEstimating {
    /// The buffer, and a sample of what its elements own.
    package var estimatedCost: Int {
        guard let first else { return 0 }
        return count * Swift.max(MemoryLayout<Element>.stride, ValueCost.estimate(first))
    }
}

extension Dictionary: CostEstimating {
    package var estimatedCost: Int {
        count * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
    }
}

extension Optional: CostEstimating {
    package var estimatedCost: Int {
        map { ValueCost.estimate($0) } ?? 0
    }
}

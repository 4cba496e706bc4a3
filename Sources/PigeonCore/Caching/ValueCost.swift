internal import Foundation

/// Estimates the size of a value in memory, if its definition does not define its cost.
package enum ValueCost {
    /// Returns the estimated size in bytes: exact for data and strings, element count × stride for arrays, the inline
    /// size otherwise.
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

/// A container that can estimate its size without visiting its elements.
package protocol CostEstimating {
    var estimatedCost: Int { get }
}

extension Array: CostEstimating {
    /// The size of the buffer, or the estimate for the first element times the count if that is more.
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

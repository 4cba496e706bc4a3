internal import PigeonCore

extension Entity: CostEstimating {
    /// Of a client's budget of bytes: the content's, and something for each header field.
    package var estimatedCost: Int { ValueCost.estimate(content) + headers.count * 64 }
}

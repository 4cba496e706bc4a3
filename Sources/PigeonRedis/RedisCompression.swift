internal import Foundation

#if Redis
    internal import CZlib
#endif

/// Compresses data with zlib, where the trait `Redis` brings it.
enum RedisCompression {
    #if Redis
        /// `nil` if the data would not become smaller.
        static func compress(_ data: Data) -> Data? {
            convert(data, to: data.count - 1) { compress2($0, $1, $2, $3, Z_BEST_SPEED) }
        }

        /// `nil` if the result has another size.
        static func expand(_ data: Data, to size: Int) -> Data? {
            convert(data, to: size, uncompress).flatMap { $0.count == size ? $0 : nil }
        }

        /// - Parameter limit: The greatest size of the result.
        private static func convert(
            _ data: Data, to limit: Int,
            _ function: (UnsafeMutablePointer<Bytef>?, UnsafeMutablePointer<uLongf>?, UnsafePointer<Bytef>?, uLong) ->
                Int32
        ) -> Data? {
            guard limit >= 0 else { return nil }
            var result = Data(count: limit)
            var size = uLongf(limit)
            let status = result.withUnsafeMutableBytes { result in
                data.withUnsafeBytes { data in
                    function(
                        result.bindMemory(to: Bytef.self).baseAddress, &size,
                        data.bindMemory(to: Bytef.self).baseAddress, uLong(data.count))
                }
            }
            return status == Z_OK ? result.prefix(Int(size)) : nil
        }
    #else
        static func compress(_ data: Data) -> Data? { nil }
        static func expand(_ data: Data, to size: Int) -> Data? { nil }
    #endif
}

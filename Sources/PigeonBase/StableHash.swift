/// Returns a hash of bytes that is the same in every process and on every machine, unlike that of `Hasher` (FNV-1a, 64 bits).
/// It does not resist attackers who choose the bytes.
package func stableHash(of bytes: some Sequence<UInt8>) -> UInt64 {
    let start: UInt64 = 0xCBF2_9CE4_8422_2325
    // The loop over stored bytes is not generic, so that it is fast for callers in other modules.
    return bytes.withContiguousStorageIfAvailable { hash($0, start) } ?? bytes.reduce(start, step)
}

private func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ start: UInt64) -> UInt64 {
    bytes.reduce(start, step)
}

private func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
}

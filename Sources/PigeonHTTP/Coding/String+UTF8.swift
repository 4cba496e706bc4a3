extension String {
    /// The text that bytes are, if they are UTF-8. What the standard library has for this is not on all systems.
    init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}

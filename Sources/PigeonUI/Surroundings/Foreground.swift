#if canImport(SwiftUI)
    internal import PigeonCore

    /// Says that a program is in the foreground while any of its scenes is.
    @MainActor
    final class Foreground {
        private static var all: [ObjectIdentifier: Foreground] = [:]

        private let signal: EnvironmentSignal
        private var scenes: [ObjectIdentifier: Bool] = [:]

        /// The one that feeds a signal. Kept while a scene takes part.
        static func of(_ signal: EnvironmentSignal) -> Foreground {
            let foreground = all[ObjectIdentifier(signal)] ?? Foreground(signal)
            all[ObjectIdentifier(signal)] = foreground
            return foreground
        }

        private init(_ signal: EnvironmentSignal) {
            self.signal = signal
        }

        func set(_ isInForeground: Bool, by scene: ObjectIdentifier) {
            scenes[scene] = isInForeground
            signal.set(scenes.values.contains(true))
        }

        /// What is left decides; the last to go leaves the signal as it is.
        func remove(_ scene: ObjectIdentifier) {
            scenes[scene] = nil
            if scenes.isEmpty {
                Self.all[ObjectIdentifier(signal)] = nil
            } else {
                signal.set(scenes.values.contains(true))
            }
        }
    }
#endif

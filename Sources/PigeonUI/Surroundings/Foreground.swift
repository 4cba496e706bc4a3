#if canImport(SwiftUI)
    internal import PigeonCore

    /// Sets a signal that is on while any scene of the program is in the foreground.
    @MainActor
    final class Foreground {
        private static var all: [ObjectIdentifier: Foreground] = [:]

        private let signal: EnvironmentSignal
        private var scenes: [ObjectIdentifier: Bool] = [:]

        /// Returns the object that sets a signal. It is retained while it has scenes.
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

        /// Removes a scene, and sets the signal for the remaining ones. After the last scene, the signal keeps its
        /// value.
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

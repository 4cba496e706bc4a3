extension UIColor {
    /// Stands for `init(dynamicProvider:)`. The colour is the one for the traits of this moment.
    public convenience init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) {
        let parts = dynamicProvider(UITraitCollection()).components
        self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
    }
}

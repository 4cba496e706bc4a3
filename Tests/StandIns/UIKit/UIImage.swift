/// Stands for `UIKit.UIImage`.
open class UIImage: NSObject, @unchecked Sendable {  // has nothing that changes
    /// The bytes that it was made of, or the name.
    package let source: Data
    /// Stands for `UIImage.size`, in points.
    open var size: CGSize { CGSize(width: pixels.width / scale, height: pixels.height / scale) }
    /// Stands for `UIImage.scale`.
    public let scale: CGFloat
    private let pixels: CGSize
    /// True if it was prepared for display elsewhere than on the main thread.
    package let isPrepared: Bool

    /// Stands for `UIImage.Orientation`.
    public enum Orientation: Int, Sendable {
        /// Stands for `Orientation.up`.
        case up
    }

    /// Stands for `init()`.
    public override init() {
        (source, scale, pixels, isPrepared) = (Data(), 1, .zero, false)
    }

    private init(_ source: Data, scale: CGFloat, pixels: CGSize, isPrepared: Bool) {
        (self.source, self.scale, self.pixels, self.isPrepared) = (source, scale, pixels, isPrepared)
    }

    /// Stands for `init(cgImage:scale:orientation:)`.
    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        source = cgImage.source
        self.scale = scale
        pixels = CGSize(width: cgImage.width, height: cgImage.height)
        isPrepared = true
    }

    /// Stands for `preparingThumbnail(of:)`.
    open func preparingThumbnail(of size: CGSize) -> UIImage? {
        UIImage(source, scale: 1, pixels: size, isPrepared: !MainThread.isCurrent)
    }

    /// Stands for `preparingForDisplay()`.
    open func preparingForDisplay() -> UIImage? {
        UIImage(source, scale: scale, pixels: pixels, isPrepared: !MainThread.isCurrent)
    }

    /// Stands for `init?(data:)`. Any bytes but none will do. They give the size as those of `CGImageSource` do.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        let size = CGImage.size(of: data)
        (source, scale, pixels, isPrepared) = (data, 1, CGSize(width: size.width, height: size.height), false)
    }

    /// Stands for `init?(systemName:)`. Any name will do.
    public init?(systemName name: String) {
        (source, scale, pixels, isPrepared) = (Data(name.utf8), 1, CGSize(width: 1, height: 1), true)
    }

    /// Stands for `init?(named:)`. There are none.
    public init?(named name: String) {
        nil
    }
}

/// Stands for `UIKit.UIColor`.
open class UIColor: NSObject, @unchecked Sendable {  // has nothing that changes
    /// What it was made of.
    package let components: [CGFloat]

    /// Stands for `init(red:green:blue:alpha:)`.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
    }

    /// Stands for `init(white:alpha:)`.
    public init(white: CGFloat, alpha: CGFloat) {
        components = [white, white, white, alpha]
    }

    /// Stands for `withAlphaComponent(_:)`.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: components[0], green: components[1], blue: components[2], alpha: alpha)
    }

    /// Stands for `UIColor.clear`.
    open class var clear: UIColor { UIColor(white: 0, alpha: 0) }
    /// Stands for `UIColor.white`.
    open class var white: UIColor { UIColor(white: 1, alpha: 1) }
    /// Stands for `UIColor.black`.
    open class var black: UIColor { UIColor(white: 0, alpha: 1) }
    /// Stands for `UIColor.label`.
    open class var label: UIColor { UIColor(white: 0, alpha: 1) }
    /// Stands for `UIColor.secondaryLabel`.
    open class var secondaryLabel: UIColor { UIColor(white: 0.2, alpha: 0.6) }
    /// Stands for `UIColor.systemBackground`. Not on tvOS.
    open class var systemBackground: UIColor { UIColor(white: 1, alpha: 1) }
    /// Stands for `UIColor.systemBlue`.
    open class var systemBlue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
    /// Stands for `UIColor.systemRed`.
    open class var systemRed: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
    /// Stands for `UIColor.systemGray`.
    open class var systemGray: UIColor { UIColor(white: 0.5, alpha: 1) }
}

/// Stands for `UIKit.UIFont`.
open class UIFont: NSObject, @unchecked Sendable {  // has nothing that changes
    /// Stands for `UIFont.TextStyle`.
    public struct TextStyle: Hashable, RawRepresentable, Sendable {
        /// Stands for `TextStyle.rawValue`.
        public var rawValue: String

        /// Stands for `init(rawValue:)`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stands for `TextStyle.headline`.
        public static let headline = TextStyle(rawValue: "headline")
        /// Stands for `TextStyle.body`.
        public static let body = TextStyle(rawValue: "body")
        /// Stands for `TextStyle.subheadline`.
        public static let subheadline = TextStyle(rawValue: "subheadline")
        /// Stands for `TextStyle.caption1`.
        public static let caption1 = TextStyle(rawValue: "caption1")
    }

    /// Stands for `preferredFont(forTextStyle:)`.
    open class func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
    /// Stands for `systemFont(ofSize:)`.
    open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { UIFont() }
}

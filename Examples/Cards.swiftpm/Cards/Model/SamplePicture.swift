import Foundation

/// Draws the sample server's pictures: a sun over a hill, in colours of their own.
enum SamplePicture {
    private static let (width, height) = (240, 180)

    /// A picture as a BMP file.
    static func bitmap(_ number: Int) -> Data {
        let header = 54
        let pixels = width * height * 3
        let hue = Double(number * 37 % 100) / 100
        let colors: [Part: [UInt8]] = [.sky: shade(hue, 180), .sun: [200, 240, 255], .hill: shade(hue + 0.4, 90)]
        var file = Data("BM".utf8)
        for field in [header + pixels, 0, header, 40, width, height] { file.append(little: UInt32(field)) }
        file.append(little: UInt16(1))  // one plane
        file.append(little: UInt16(24))  // bits of a pixel
        for field in [0, pixels, 2835, 2835, 0, 0] { file.append(little: UInt32(field)) }
        for y in 0..<height {  // the lowest row first
            for x in 0..<width { file.append(contentsOf: colors[part(x, y, number), default: []]) }
        }
        return file
    }

    private enum Part {
        case sky, sun, hill
    }

    private static func part(_ x: Int, _ y: Int, _ number: Int) -> Part {
        if square(x - 165, y - 126) < 900 { return .sun }
        return square(x - 75 - number % 5 * 15, y + 135) < 38_000 ? .hill : .sky
    }

    private static func square(_ x: Int, _ y: Int) -> Int { x * x + y * y }

    /// Blue, green and red.
    private static func shade(_ hue: Double, _ light: Int) -> [UInt8] {
        [0.0, 1 / 3, 2 / 3].map { UInt8(clamping: light + Int(60 * cos(2 * .pi * (hue + $0)))) }
    }
}

extension Data {
    fileprivate mutating func append<Number: FixedWidthInteger>(little number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

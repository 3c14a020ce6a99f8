/// A header, a logical screen, an image of one pixel, and a trailer.
enum GIF {
    static func file(_ width: Int, _ height: Int, version: String = "89a") -> [UInt8] {
        // Flags: a global colour table of two colours; background 0; no aspect ratio.
        ascii("GIF" + version) + little(width, 2) + little(height, 2) + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
            + [0x2C] + little(0, 8) + [0, 2, 2, 0x44, 0x01, 0, 0x3B]
    }
}

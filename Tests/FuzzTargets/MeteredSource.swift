package import Pictures

/// Bytes of a file that count all reads, and reject none.
package final class MeteredSource {
    package private(set) var reads = 0
    package private(set) var bytes = 0
    /// Reads that should not happen.
    package private(set) var offences: [String] = []

    private let size: Int
    private let content: (Int) -> UInt8

    /// A file of `size` bytes, of which `content` gives each: a file may be larger than memory.
    package init(size: Int, _ content: @escaping (_ offset: Int) -> UInt8) {
        self.size = size
        self.content = content
    }

    package convenience init(_ file: [UInt8]) {
        self.init(size: file.count) { file[$0] }
    }

    package func read(_ offset: Int, _ count: Int) -> [UInt8] {
        reads += 1
        bytes += count
        guard offset >= 0, (1...4096).contains(count), offset <= size, count <= size - offset else {
            offences.append("\(count) bytes at \(offset) of \(size)")
            return []
        }
        return (offset..<offset + count).map(content)
    }

    /// Reads the header, and notes it if that costs too much or gives an impossible result.
    package func header() -> Picture? {
        let picture = PictureHeader.read(size: size, read)
        if reads > 256 { offences.append("\(reads) reads") }
        if bytes > 1 << 20 { offences.append("\(bytes) bytes") }
        if let picture {
            let sides = 1...(1 << 20)
            if !sides.contains(picture.width) || !sides.contains(picture.height)
                || !(1...8).contains(picture.orientation)
            {
                offences.append("\(picture)")
            }
        }
        return picture
    }
}

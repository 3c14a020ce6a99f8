internal import RecordWire

/// The JSON objects of a file, one after the other: of a list, of the list `results` of an object, or one object after
/// another, as in JSON Lines.
///
/// Only one object is in memory at a time. Brackets and quotes alone decide where it ends; its text is checked by
/// `JSONValue`.
struct JSONDocuments {
    /// An object of the file.
    struct Document {
        /// The number of the line in which it begins, from 1.
        let line: Int
        /// The text; `nil` if it is longer than `mostBytes`.
        let bytes: [UInt8]?
    }

    /// The longest object. A record has at most 1 MiB, of which JSON can make six times as much.
    static let mostBytes = 16 << 20
    private static let chunkBytes = 1 << 20

    /// Whether the bytes of a file are in a JSON text, where brackets mean nothing.
    private struct TextState {
        private var isInText = false
        private var isEscaped = false

        /// Reads a byte. Returns whether it belongs to a text, as its quotes do.
        @inline(__always)
        mutating func takes(_ byte: UInt8) -> Bool {
            guard isInText else {
                isInText = byte == UInt8(ascii: "\"")
                return isInText
            }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return true
        }
    }

    private enum Layout {
        case unknown
        /// One object after another.
        case sequence
        /// A list of objects. With `isWrapped`, the list is a member of an object.
        case list(isWrapped: Bool)
        case ended
    }

    private let file: FileReader
    private let mostBytes: Int
    private let chunkBytes: Int
    private var layout = Layout.unknown
    private var chunk: [UInt8] = []
    private var position = 0
    private var line = 1
    private var isAfterElement = false

    /// Opens a file.
    ///
    /// - Throws: `ConversionError`.
    init(
        _ path: String, mostBytes: Int = JSONDocuments.mostBytes, chunkBytes: Int = JSONDocuments.chunkBytes
    ) throws(ConversionError) {
        file = try FileReader(path)
        self.mostBytes = mostBytes
        self.chunkBytes = chunkBytes
    }

    /// Returns the next object; `nil` after the last one.
    ///
    /// - Throws: `ConversionError` with the line if the file is no JSON, or ends too early.
    mutating func next() throws(ConversionError) -> Document? {
        while let byte = try peek() {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case 0x20, 0x09, 0x0D: position += 1
            case UInt8(ascii: "{"):
                if case .list = layout, isAfterElement { throw error("A comma is missing before this object") }
                if case .ended = layout { throw unexpected(byte) }
                if let document = try document() { return document }
            case UInt8(ascii: "["):
                guard case .unknown = layout else { throw unexpected(byte) }
                layout = .list(isWrapped: false)
                position += 1
            case UInt8(ascii: ","):
                guard case .list = layout, isAfterElement else { throw unexpected(byte) }
                isAfterElement = false
                position += 1
            case UInt8(ascii: "]"):
                guard case .list(let isWrapped) = layout else { throw unexpected(byte) }
                position += 1
                if isWrapped { try skipFrame() }
                layout = .ended
            default: throw unexpected(byte)
            }
        }
        switch layout {
        case .list: throw error("The file ends inside a list. It is incomplete: export it again")
        case .unknown: throw error("The file is empty")
        case .sequence, .ended: return nil
        }
    }

    /// Returns the current byte; `nil` at the end of the file.
    private mutating func peek() throws(ConversionError) -> UInt8? {
        while position == chunk.count {
            let isStart = chunk.isEmpty
            (chunk, position) = (try file.read(chunkBytes), 0)
            if chunk.isEmpty { return nil }
            position = isStart && chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }
        return chunk[position]
    }

    /// Reads the object that begins at the current byte. Returns `nil` if it is the frame of a list.
    private mutating func document() throws(ConversionError) -> Document? {
        let first = line
        let mayBeFrame: Bool
        if case .unknown = layout { mayBeFrame = true } else { mayBeFrame = false }
        var bytes: [UInt8] = []
        var isTooLong = false
        var (depth, text) = (0, TextState())
        while try peek() != nil {
            let start = position
            var isComplete = false
            let end = chunk.count
            // Nothing is appended byte by byte.
            chunk.withUnsafeBufferPointer { chunk in
                while position < end {
                    let byte = chunk[position]
                    position &+= 1
                    if byte == UInt8(ascii: "\n") { line &+= 1 }
                    if text.takes(byte) { continue }
                    switch byte {
                    case UInt8(ascii: "{"): depth &+= 1
                    case UInt8(ascii: "["):
                        depth &+= 1
                        if mayBeFrame, depth == 2 {
                            isComplete = true
                            return
                        }
                    case UInt8(ascii: "}"), UInt8(ascii: "]"):
                        depth &-= 1
                        if depth == 0 {
                            isComplete = true
                            return
                        }
                    default: break
                    }
                }
            }
            if !isTooLong {
                bytes += chunk[start..<position]
                if bytes.count > mostBytes { (bytes, isTooLong) = ([], true) }
            }
            guard isComplete else { continue }
            if depth > 0 {
                if !isTooLong, Self.opensFrame(bytes) {
                    layout = .list(isWrapped: true)
                    return nil
                }
                continue
            }
            if case .unknown = layout { layout = .sequence }
            isAfterElement = true
            return Document(line: first, bytes: isTooLong ? nil : bytes)
        }
        throw ConversionError(
            file.path, line: first,
            "The file ends inside the object that begins in this line. It is incomplete: export it again")
    }

    /// Whether a text is `{"results":[`, apart from spaces.
    private static func opensFrame(_ bytes: [UInt8]) -> Bool {
        guard bytes.count < 256 else { return false }
        return bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.elementsEqual(#"{"results":["#.utf8)
    }

    /// Reads the rest of the object around a list.
    private mutating func skipFrame() throws(ConversionError) {
        var (depth, text) = (1, TextState())
        while let byte = try peek() {
            position += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if text.takes(byte) { continue }
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
                if depth == 0 { return }
            }
        }
        throw error("The file ends inside an object. It is incomplete: export it again")
    }

    private func error(_ reason: String) -> ConversionError { ConversionError(file.path, line: line, reason) }

    private func unexpected(_ byte: UInt8) -> ConversionError {
        if line == 1, position < 4, byte >= 0xFE || byte == 0 || chunk.prefix(4).contains(0) {
            return error("The file is no UTF-8. Convert it, for example with 'iconv -f UTF-16 -t UTF-8'")
        }
        switch layout {
        case .unknown: return error("The file is no JSON with objects: it begins with neither { nor [")
        case .ended: return error("Something follows the list")
        case .list: return error("An object, a comma or the end of the list was expected")
        case .sequence: return error("The beginning of an object was expected")
        }
    }
}

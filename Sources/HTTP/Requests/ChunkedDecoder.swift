/// Decodes the chunked transfer coding of a body (RFC 9112 §7.1).
///
/// Chunk extensions are skipped and trailers are dropped. Both have a size limit against clients that send them without
/// end.
public struct ChunkedDecoder: Sendable {
    /// The result of one step of decoding.
    public enum Step: Hashable, Sendable {
        /// Body bytes, as a range of the given bytes; not empty.
        case data(Range<Int>)
        /// All given bytes have been used.
        case needMore
        /// The body is complete. The next request begins at this offset in the given bytes.
        case finished(consumed: Int)
        /// The body is invalid and the connection cannot be reused. The sentence says what is wrong.
        case malformed(String)
    }

    /// The limits in bytes: for the extensions of one chunk, for all extensions of a body, and for the trailers.
    static let maxExtensionBytes = 256
    static let maxAllExtensionBytes = 4096
    static let maxTrailerBytes = 8192
    /// The most digits of a chunk size that the fast path accepts. Longer chunk sizes are decoded byte by byte.
    private static let plainDigits = 8

    private enum State {
        case sizeStart, size, extensions, sizeLineFeed
        case data, dataCarriageReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case finished
    }

    private var state = State.sizeStart
    private var remaining = 0
    private var digits = 0
    private var extensionBytes = 0
    private var allExtensionBytes = 0
    private var trailerBytes = 0

    /// Creates a decoder at the start of a body.
    public init() {}

    /// Whether the last chunk and the trailers have been read.
    public var isFinished: Bool { state == .finished }

    /// Decodes until there is data to return, the bytes are used up, or the body ends.
    ///
    /// - Parameters:
    ///   - bytes: The received bytes.
    ///   - offset: The first byte to decode; advanced past the bytes used.
    public mutating func next(_ bytes: UnsafeRawBufferPointer, from offset: inout Int) -> Step {
        while offset < bytes.count {
            takePlainLines(bytes, from: &offset)
            if state == .data, offset < bytes.count {
                let end = offset + min(remaining, bytes.count - offset)
                let range = offset..<end
                remaining -= range.count
                offset = end
                if remaining == 0 { state = .dataCarriageReturn }
                return .data(range)
            }
            if state == .finished { return .finished(consumed: offset) }
            guard offset < bytes.count else { break }
            let byte = bytes[offset]
            offset += 1
            if let problem = take(byte) { return .malformed(problem) }
        }
        return state == .finished ? .finished(consumed: offset) : .needMore
    }

    /// Reads the bytes between two chunks, such as `CR LF 1f CR LF`, in one step if all of them are in `bytes`. Leaves
    /// any other form to `take`, which reads byte by byte.
    private mutating func takePlainLines(_ bytes: UnsafeRawBufferPointer, from offset: inout Int) {
        if state == .dataCarriageReturn, Self.isLineEnd(bytes, at: offset) {
            offset += 2
            state = .sizeStart
        }
        guard state == .sizeStart else { return }
        var size = 0
        var end = offset
        while end < bytes.count, end < offset + Self.plainDigits, let digit = bytes[end].hexValue {
            size = size << 4 | Int(digit)
            end += 1
        }
        guard end > offset, Self.isLineEnd(bytes, at: end) else { return }
        offset = end + 2
        remaining = size
        extensionBytes = 0
        state = size == 0 ? .trailerStart : .data
    }

    private static func isLineEnd(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        offset + 1 < bytes.count && bytes[offset] == 0x0D && bytes[offset + 1] == 0x0A
    }

    /// Reads one byte of a size line, an extension or a trailer. Returns an error sentence if the byte is invalid.
    private mutating func take(_ byte: UInt8) -> String? {
        switch state {
        case .sizeStart, .size:
            return takeSize(byte)
        case .extensions:
            return takeExtension(byte)
        case .sizeLineFeed:
            guard byte == 0x0A else { return Self.bareCarriageReturn }
            state = remaining == 0 ? .trailerStart : .data
        case .dataCarriageReturn:
            guard byte == 0x0D else { return "A chunk is longer than its size says; end its data with CR LF." }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { return "A chunk is longer than its size says; end its data with CR LF." }
            state = .sizeStart
        case .lastLineFeed:
            guard byte == 0x0A else { return Self.bareCarriageReturn }
            state = .finished
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed:
            return takeTrailer(byte)
        case .data, .finished:
            break
        }
        return nil
    }

    private mutating func takeSize(_ byte: UInt8) -> String? {
        if let digit = byte.hexValue {
            if state == .sizeStart {
                remaining = 0
                digits = 0
                extensionBytes = 0
                state = .size
            }
            digits += 1
            // Fifteen digits exceed the size of any body and cannot overflow. Leading zeros count as digits, so their
            // number is limited too.
            guard digits <= 15 else { return "A chunk size is too large; send smaller chunks." }
            remaining = remaining << 4 | Int(digit)
            return nil
        }
        guard state == .size else { return "A chunk size is malformed; send hexadecimal digits and CR LF." }
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extensions
        // RFC 9112 §7.1.1 allows whitespace here only for lenient parsing, and parsers disagree about the whitespace.
        default: return "A chunk size is malformed; send hexadecimal digits and CR LF."
        }
        return nil
    }

    private mutating func takeExtension(_ byte: UInt8) -> String? {
        if byte == 0x0D {
            state = .sizeLineFeed
            return nil
        }
        guard byte != 0x0A else { return Self.bareLineFeed }
        guard !byte.isForbiddenInValue else { return "A chunk extension has a control character; leave it out." }
        extensionBytes += 1
        allExtensionBytes += 1
        guard extensionBytes <= Self.maxExtensionBytes, allExtensionBytes <= Self.maxAllExtensionBytes else {
            return "The chunk extensions are too long; leave them out."
        }
        return nil
    }

    private mutating func takeTrailer(_ byte: UInt8) -> String? {
        trailerBytes += 1
        guard trailerBytes <= Self.maxTrailerBytes else { return "The trailer fields are too long; leave them out." }
        switch state {
        case .trailerStart where byte == 0x0D:
            state = .lastLineFeed
        case .trailerStart:
            guard byte.isToken else { return "A trailer field is malformed; send 'Name: value'." }
            state = .trailerName
        case .trailerName:
            if byte == UInt8(ascii: ":") {
                state = .trailerValue
            } else {
                guard byte.isToken else { return "A trailer field is malformed; send 'Name: value'." }
            }
        case .trailerValue:
            if byte == 0x0D {
                state = .trailerLineFeed
            } else {
                guard byte != 0x0A else { return Self.bareLineFeed }
                guard !byte.isForbiddenInValue else { return "A trailer field has a control character; leave it out." }
            }
        default:
            guard byte == 0x0A else { return Self.bareCarriageReturn }
            state = .trailerStart
        }
        return nil
    }

    private static let bareCarriageReturn = "A carriage return stands without a line feed in the chunked body."
    private static let bareLineFeed = "A line feed stands without a carriage return in the chunked body."
}

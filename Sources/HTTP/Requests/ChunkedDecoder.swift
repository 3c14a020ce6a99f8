/// Takes the chunked coding off a body (RFC 9112 §7.1).
///
/// Extensions are passed over and trailers are dropped; both are bounded, since they cost the sender nothing.
public struct ChunkedDecoder: Sendable {
    public enum Step: Hashable, Sendable {
        /// Body bytes, as offsets in the bytes that were given; not empty.
        case data(Range<Int>)
        /// All bytes given have been taken.
        case needMore
        /// The body is complete; the next request begins at this offset in the bytes that were given.
        case finished(consumed: Int)
        /// The connection cannot be used again. The sentence says what was wrong.
        case malformed(String)
    }

    /// The most bytes of extensions in one chunk, of extensions in a body, and of trailers.
    static let maxExtensionBytes = 256
    static let maxAllExtensionBytes = 4096
    static let maxTrailerBytes = 8192
    /// Sizes of more digits are taken byte by byte.
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

    public init() {}

    /// Whether the last chunk and its trailers have been taken.
    public var isFinished: Bool { state == .finished }

    /// Goes on with the body.
    ///
    /// - Parameters:
    ///   - bytes: What has come from the client.
    ///   - offset: From where on `bytes` is new; moved behind what was taken.
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

    /// Takes what stands between two chunks, `CR LF 1f CR LF`, at once if all of it is there. What is not as plain as that is
    /// left to `take`, byte by byte.
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

    /// Takes one byte that is not data. Returns what is wrong with it.
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
            // Fifteen digits are beyond any body and cannot overflow; leading zeros count, so that they end too.
            guard digits <= 15 else { return "A chunk size is too large; send smaller chunks." }
            remaining = remaining << 4 | Int(digit)
            return nil
        }
        guard state == .size else { return "A chunk size is malformed; send hexadecimal digits and CR LF." }
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extensions
        // RFC 9112 §7.1.1 lets blanks stand here only for bad senders; parsers disagree about them.
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

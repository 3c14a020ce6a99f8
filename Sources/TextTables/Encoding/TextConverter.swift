internal import Glibc

/// `iconv` to UTF-8. The descriptor is closed with the value.
struct TextConverter: ~Copyable {
    private let descriptor: iconv_t

    /// Returns whether the system can convert from an encoding.
    static func isKnown(_ systemName: String) -> Bool {
        guard let descriptor = open(systemName) else { return false }
        iconv_close(descriptor)
        return true
    }

    /// Creates a converter; `nil` if the system does not know the encoding.
    init?(from encoding: TextEncoding) {
        guard let descriptor = Self.open(encoding.systemName) else { return nil }
        self.descriptor = descriptor
    }

    deinit { iconv_close(descriptor) }

    private static func open(_ name: String) -> iconv_t? {
        let descriptor = iconv_open("UTF-8", name)
        return descriptor == iconv_t(bitPattern: -1) ? nil : descriptor
    }

    /// Converts as many bytes as make whole characters, and appends them as UTF-8.
    ///
    /// - Returns: The number of converted bytes, and the offset of a byte that is no part of a character; `nil` if there
    ///   is none. What is left otherwise is the beginning of a character.
    func convert(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) -> (converted: Int, badOffset: Int?) {
        guard let base = input.baseAddress else { return (0, nil) }
        // iconv does not change its input: the type is of an age without `const`.
        var from: UnsafeMutablePointer<CChar>? = UnsafeMutableRawPointer(mutating: base)
            .assumingMemoryBound(to: CChar.self)
        var left = input.count
        while left > 0 {
            let start = output.count
            // A byte becomes at most three; a larger character only makes the loop turn again.
            let room = max(64, left * 2)
            output.append(contentsOf: repeatElement(0, count: room))
            var (written, code) = (0, CInt(0))
            output.withUnsafeMutableBytes { bytes in
                var to: UnsafeMutablePointer<CChar>? = (bytes.baseAddress! + start).assumingMemoryBound(to: CChar.self)
                var free = room
                if iconv(descriptor, &from, &left, &to, &free) == Int(bitPattern: UInt.max) { code = errno }
                written = room - free
            }
            output.removeLast(room - written)
            switch code {
            case 0, E2BIG: continue
            case EINVAL: return (input.count - left, nil)
            default: return (input.count - left, input.count - left)
            }
        }
        return (input.count, nil)
    }
}

/// The beginning of some bytes that is UTF-8.
struct UTF8Prefix {
    /// The number of bytes.
    let count: Int
    /// Whether what follows can be the beginning of a character that is cut off.
    let isCutOff: Bool
    private let total: Int

    init(of bytes: UnsafeRawBufferPointer) {
        total = bytes.count
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
            count = bytes.count
            isCutOff = false
        } catch {
            count = error.byteOffsets.lowerBound
            isCutOff = error.kind == .truncatedScalar && error.byteOffsets.upperBound == bytes.count
        }
    }

    /// The offset of the first byte that is not UTF-8; `nil` if there is none.
    ///
    /// - Parameter isWhole: Whether no bytes follow.
    func badOffset(isWhole: Bool) -> Int? {
        count == total || (isCutOff && !isWhole) ? nil : count
    }
}

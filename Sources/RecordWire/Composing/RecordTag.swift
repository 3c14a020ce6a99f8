/// The change tag of a record (`recordChangeTag`): its revision in base 36, in lowercase and without leading zeros.
///
/// ```
/// | digit, 0-9 or a-z |
/// |      1 to 13      |
/// ```
package enum RecordTag {
    /// Returns the change tag of a revision.
    package static func text(_ revision: Int64) -> String {
        var bytes: [UInt8] = []
        append(revision, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the change tag of a revision.
    ///
    /// - Parameter revision: The revision, 0 or more.
    package static func append(_ revision: Int64, to text: inout [UInt8]) {
        precondition(revision >= 0, "A revision is never negative")
        var rest = UInt64(revision)
        var digits = InlineArray<13, UInt8>(repeating: 0)
        var first = 13
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % 36)
            first &-= 1
            digits[first] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10
            rest /= 36
        } while rest != 0
        digits.span.withUnsafeBufferPointer { text.append(contentsOf: UnsafeBufferPointer(rebasing: $0[first...])) }
    }

    /// Parses a change tag. The result is `nil` for any text that `text` does not return, so that each revision has
    /// exactly one tag.
    package static func parse(_ text: String) -> Int64? {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 13, first != UInt8(ascii: "0") || bytes.count == 1 else {
            return nil
        }
        var revision: Int64 = 0
        for byte in bytes {
            let digit: Int64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = Int64(byte - UInt8(ascii: "a")) + 10
            default: return nil
            }
            let (shifted, tooLarge) = revision.multipliedReportingOverflow(by: 36)
            let (sum, overflow) = shifted.addingReportingOverflow(digit)
            if tooLarge || overflow { return nil }
            revision = sum
        }
        return revision
    }
}

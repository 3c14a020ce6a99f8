/// One field line: `name ":" OWS value OWS` (RFC 9112 §5).
enum FieldLine {
    /// - Parameters:
    ///   - start: Where the line begins in `bytes`; its controls have been looked at, HTAB is the only one left.
    ///   - end: Where its CRLF is; the line is not empty.
    @inline(__always)
    static func parse(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) throws(HTTPRefusal) -> HTTPFields.Entry
    {
        var colon = start
        while colon < end, bytes[colon].isToken { colon &+= 1 }
        guard colon < end, bytes[colon] == UInt8(ascii: ":"), colon > start, colon &- start <= 0xFFFF else {
            throw .malformedField(bytes, start, colon, end)
        }
        var valueStart = colon &+ 1
        var valueEnd = end
        while valueStart < valueEnd, bytes[valueStart].isBlank { valueStart &+= 1 }
        while valueEnd > valueStart, bytes[valueEnd &- 1].isBlank { valueEnd &-= 1 }
        return HTTPFields.Entry(
            known: KnownField.recognize(bytes.part(start, colon)),
            nameLength: UInt16(truncatingIfNeeded: colon &- start),
            nameStart: UInt32(truncatingIfNeeded: start), valueStart: UInt32(truncatingIfNeeded: valueStart),
            valueLength: UInt32(truncatingIfNeeded: valueEnd &- valueStart))
    }
}

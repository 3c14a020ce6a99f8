/// One field line: `name ":" OWS value OWS` (RFC 9112 §5).
enum FieldLine {
    /// Parses a field line.
    ///
    /// - Parameters:
    ///   - start: The start of the line in `bytes`. The caller has checked that HTAB is the line's only control
    ///     character.
    ///   - end: The position of the line's CR LF; the line is not empty.
    /// - Throws: An `HTTPRejection` with status 400 if the line does not begin with a name and a colon.
    @inline(__always)
    static func parse(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) throws(HTTPRejection)
        -> HTTPFields.Entry
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

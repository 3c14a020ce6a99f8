/// The parser for the request target of a request line (RFC 9112 §3.2).
enum TargetParser {
    /// Finds the positions of the parts of the target at `start..<end` of `bytes`.
    ///
    /// - Parameter isOptions: Whether the method is OPTIONS. Only then is an asterisk allowed.
    /// - Throws: An `HTTPRejection` with status 400 for an invalid target.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, isOptions: Bool
    ) throws(HTTPRejection) -> RequestTarget.Shape {
        guard start < end else {
            throw HTTPRejection(.badRequest, "The request target is missing; send a path such as '/'.")
        }
        var shape = RequestTarget.Shape()
        var path = start
        if bytes[start] != UInt8(ascii: "/") {
            if bytes[start] == UInt8(ascii: "*"), end == start + 1 {
                guard isOptions else {
                    throw HTTPRejection(.badRequest, "The target '*' is for OPTIONS only; send a path.")
                }
                shape.isAsterisk = true
                shape.pathStart = UInt32(truncatingIfNeeded: start)
                shape.pathEnd = shape.pathStart
                return shape
            }
            let authority = try authorityBounds(bytes, start, end)
            shape.authorityStart = UInt32(truncatingIfNeeded: authority.lowerBound)
            shape.authorityEnd = UInt32(truncatingIfNeeded: authority.upperBound)
            path = authority.upperBound
        }
        try findParts(bytes, path, end, &shape)
        if hasDotSegment(bytes, Int(shape.pathStart), Int(shape.pathEnd)) {
            throw HTTPRejection(
                .badRequest, "The path has a segment '.' or '..'; resolve it before sending the request.")
        }
        return shape
    }

    /// Returns the position of the authority of an absolute-form target, `http://authority/path`. The authority must be
    /// a valid value of Host.
    ///
    /// - Throws: An `HTTPRejection` with status 400 for another scheme or an invalid host.
    private static func authorityBounds(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) throws(HTTPRejection) -> Range<Int> {
        let target = bytes.part(start, end)
        let length: Int
        if target.count > 7, target.part(0, 7).equalsIgnoringCase("http://") {
            length = 7
        } else if target.count > 8, target.part(0, 8).equalsIgnoringCase("https://") {
            length = 8
        } else {
            throw HTTPRejection(
                .badRequest, "The request target must be a path that begins with '/', or an http URL with a host.")
        }
        let first = start + length
        var last = first
        while last < end, bytes[last] != UInt8(ascii: "/"), bytes[last] != UInt8(ascii: "?") { last += 1 }
        guard HostSyntax.isValid(bytes.part(first, last)) else {
            throw HTTPRejection(.badRequest, "The URL in the request line has no valid host; send 'http://host/path'.")
        }
        return first..<last
    }

    /// Finds the path and the query. Every byte must be visible ASCII. RFC 3986 excludes some characters that browsers
    /// send raw, such as `|` and `\`; the parser accepts them as data.
    ///
    /// - Throws: An `HTTPRejection` with status 400 for any other byte or for a fragment.
    private static func findParts(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ shape: inout RequestTarget.Shape
    ) throws(HTTPRejection) {
        shape.pathStart = UInt32(truncatingIfNeeded: start)
        var pathEnd = end
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte &- 0x21 >= 0x5E {
                throw HTTPRejection(
                    .badRequest, "The request target has a byte that is not visible ASCII; percent-encode it.")
            }
            if byte == UInt8(ascii: "%") {
                if pathEnd == end { shape.hasEscapes = true }
            } else if byte == UInt8(ascii: "?") {
                if !shape.hasQuery {
                    pathEnd = index
                    shape.hasQuery = true
                }
            } else if byte == UInt8(ascii: "#") {
                throw HTTPRejection(.badRequest, "The request target has a fragment; leave out '#' and what follows.")
            }
            index &+= 1
        }
        shape.pathEnd = UInt32(truncatingIfNeeded: pathEnd)
        shape.queryEnd = UInt32(truncatingIfNeeded: end)
    }

    /// Whether a segment of the path is `.` or `..`. A dot may be written as `%2e` or `%2E`.
    private static func hasDotSegment(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        var index = start
        while index < end {
            // At a slash: count the dots that follow, and check whether the segment ends after them.
            index &+= 1
            var dots = 0
            while index < end {
                if bytes[index] == UInt8(ascii: ".") {
                    index &+= 1
                } else if index &+ 2 < end, bytes[index] == UInt8(ascii: "%"),
                    bytes[index &+ 1] == UInt8(ascii: "2"), bytes[index &+ 2] | 0x20 == UInt8(ascii: "e")
                {
                    index &+= 3
                } else {
                    break
                }
                dots &+= 1
            }
            if dots == 1 || dots == 2, index == end || bytes[index] == UInt8(ascii: "/") { return true }
            while index < end, bytes[index] != UInt8(ascii: "/") { index &+= 1 }
        }
        return false
    }
}

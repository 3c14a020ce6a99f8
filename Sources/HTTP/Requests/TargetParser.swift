/// Judges the request target of a request line (RFC 9112 §3.2).
enum TargetParser {
    /// Finds the parts of the target that lies at `start..<end` of `bytes`.
    ///
    /// - Parameter isOptions: Whether an asterisk is allowed.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, isOptions: Bool
    ) throws(HTTPRefusal) -> RequestTarget.Shape {
        guard start < end else {
            throw HTTPRefusal(.badRequest, "The request target is missing; send a path such as '/'.")
        }
        var shape = RequestTarget.Shape()
        var path = start
        if bytes[start] != UInt8(ascii: "/") {
            if bytes[start] == UInt8(ascii: "*"), end == start + 1 {
                guard isOptions else {
                    throw HTTPRefusal(.badRequest, "The target '*' is for OPTIONS only; send a path.")
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
            throw HTTPRefusal(
                .badRequest, "The path has a segment '.' or '..'; resolve it before sending the request.")
        }
        return shape
    }

    /// absolute-form: `http://authority/path`. The authority must be one that Host could have.
    private static func authorityBounds(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) throws(HTTPRefusal) -> Range<Int> {
        let target = bytes.part(start, end)
        let length: Int
        if target.count > 7, target.part(0, 7).equalsIgnoringCase("http://") {
            length = 7
        } else if target.count > 8, target.part(0, 8).equalsIgnoringCase("https://") {
            length = 8
        } else {
            throw HTTPRefusal(
                .badRequest, "The request target must be a path that begins with '/', or an http URL with a host.")
        }
        let first = start + length
        var last = first
        while last < end, bytes[last] != UInt8(ascii: "/"), bytes[last] != UInt8(ascii: "?") { last += 1 }
        guard HostSyntax.isValid(bytes.part(first, last)) else {
            throw HTTPRefusal(.badRequest, "The URL in the request line has no valid host; send 'http://host/path'.")
        }
        return first..<last
    }

    /// Every byte must be a visible ASCII character. Some that RFC 3986 excludes (such as `|` and `\`) are sent raw by
    /// browsers and are data here.
    private static func findParts(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ shape: inout RequestTarget.Shape
    ) throws(HTTPRefusal) {
        shape.pathStart = UInt32(truncatingIfNeeded: start)
        var pathEnd = end
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte &- 0x21 >= 0x5E {
                throw HTTPRefusal(
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
                throw HTTPRefusal(.badRequest, "The request target has a fragment; leave out '#' and what follows.")
            }
            index &+= 1
        }
        shape.pathEnd = UInt32(truncatingIfNeeded: pathEnd)
        shape.queryEnd = UInt32(truncatingIfNeeded: end)
    }

    /// Whether a segment of the path is `.` or `..`, a dot also being `%2e` or `%2E`.
    private static func hasDotSegment(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        var index = start
        while index < end {
            // At a slash: how many dots follow, and does the segment end behind them?
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

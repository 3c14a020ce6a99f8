/// The segments of a path that a route's parameters stand for.
public struct RouteParameters: Sendable {
    static let maxCount = 8

    let target: RequestTarget
    /// Segment numbers, eight bits each, the first parameter in the lowest.
    let segments: UInt64

    /// A parameter's text, percent-decoded once.
    ///
    /// - Parameter index: By its place in the pattern, from 0, below the number of the pattern's parameters.
    public subscript(index: Int) -> String {
        precondition(index >= 0 && index < Self.maxCount, "A route has at most eight parameters")
        // The router lets no path through that cannot be decoded.
        return target.segment(Int(truncatingIfNeeded: (segments >> (8 * UInt64(index))) & 0xFF)) ?? ""
    }
}

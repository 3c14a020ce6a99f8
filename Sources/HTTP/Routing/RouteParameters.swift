/// The path segments that match the parameters of a route.
public struct RouteParameters: Sendable {
    static let maxCount = 8

    let target: RequestTarget
    /// The index of each parameter's segment in eight bits, with the first parameter in the lowest bits.
    let segments: UInt64

    /// The text of a parameter, percent-decoded once.
    ///
    /// - Parameter index: The position of the parameter in the pattern, from 0; less than the number of parameters.
    public subscript(index: Int) -> String {
        precondition(index >= 0 && index < Self.maxCount, "A route has at most eight parameters")
        // The router accepts only paths that can be decoded.
        return target.segment(Int(truncatingIfNeeded: (segments >> (8 * UInt64(index))) & 0xFF)) ?? ""
    }
}

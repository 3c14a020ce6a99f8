/// A request target (RFC 9112 §3.2), split on the raw bytes and decoded on demand.
public struct RequestTarget: Sendable {
    public init() {}
}

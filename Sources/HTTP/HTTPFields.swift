/// Header fields in the order in which they came (RFC 9110 §5), kept as one run of bytes with a table of offsets.
public struct HTTPFields: Sendable {
    public init() {}
}

/// What is known of a rejected head: what decides which web pages may read the rejection, and what logs show of it.
///
/// Browsers show a response without CORS fields as a failure of CORS, and hide what was wrong with the request. The head
/// is read line by line, without its limits: lines are cut off, and long parameters of the query are left out.
public struct RejectedHead {
    /// The fields that `CORSPolicy` and `TrustedProxies` read, Accept and X-Request-ID. Of a list that was cut off, the
    /// last address is not that of the client, so there is none.
    public var fields: HTTPFields {
        var fields = known
        if !isComplete { for name in Self.addressLists { fields.remove(name) } }
        return fields
    }
    /// Whether the head has ended.
    public private(set) var isComplete = false

    private var known = HTTPFields()
    private var line: [UInt8] = []
    /// The request line, once it has ended.
    private var requestLine: [UInt8]?
    /// Where the last parameter of the query begins in an unfinished request line; `nil` before the query.
    private var parameterStart: Int?
    /// Whether the last parameter has become too long.
    private var isTooLong = false

    /// The maximum number of bytes of a line that are kept; in the request line, those before the query.
    private static let lineBytes = 1_024
    private static let methodBytes = 32
    /// The maximum number of bytes of one parameter of the query, and of all of them. An API token of CloudKit Web
    /// Services has 75.
    private static let parameterBytes = 256
    private static let queryBytes = 4_096
    private static let names: [HTTPFieldName] = [
        .accept, .origin, .accessControlRequestMethod, .accessControlRequestHeaders, .xRequestID,
    ]
    private static let addressLists: [HTTPFieldName] = [.xForwardedFor, .forwarded]

    /// Creates the state before the first byte.
    public init() {}

    /// The method; `-` if it is unknown.
    public var method: HTTPMethod {
        let token = parts[0]
        guard parts.count > 1, (1...Self.methodBytes).contains(token.count), token.allSatisfy(\.isToken) else {
            return .other("-")
        }
        return token.withUnsafeBytes { HTTPMethod(token: $0) }
    }

    /// The target without long parameters, and cut off if its path is long; `nil` if it is unknown or malformed.
    public var target: RequestTarget? {
        parts.count > 1 ? RequestTarget(String(decoding: parts[1], as: UTF8.self)) : nil
    }

    /// The words of the request line so far.
    private var parts: [ArraySlice<UInt8>] {
        (requestLine ?? line).split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    }

    /// Reads the next bytes.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !isComplete, !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            if requestLine == nil {
                for byte in rest[rest.startIndex..<end] { readRequestLine(byte) }
            } else {
                line += rest[rest.startIndex..<end].prefix(Self.lineBytes - line.count)
            }
            guard end < rest.endIndex else { return }
            endLine()
            rest = rest[(end + 1)...]
        }
    }

    /// Reads a byte of the request line, of which short parameters of the query are kept wherever they stand.
    private mutating func readRequestLine(_ byte: UInt8) {
        guard let start = parameterStart else {
            if byte == UInt8(ascii: "?") {
                line.append(byte)
                parameterStart = line.count
            } else if line.count < Self.lineBytes {
                line.append(byte)
            }
            return
        }
        let isEnd = byte == 0x20
        if isEnd || byte == UInt8(ascii: "&") {
            if isEnd ? line.last != byte : !isTooLong && line.count < Self.lineBytes + Self.queryBytes {
                line.append(byte)
            }
            isTooLong = false
            parameterStart = line.count
        } else if !isTooLong {
            line.append(byte)
            guard line.count - start > Self.parameterBytes || line.count > Self.lineBytes + Self.queryBytes else {
                return
            }
            isTooLong = true
            line.removeLast(line.count - start)
        }
    }

    private mutating func endLine() {
        let isCut = line.count == Self.lineBytes
        if line.last == 0x0D { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        guard requestLine != nil else {
            if !line.isEmpty { requestLine = line }
            return
        }
        isComplete = line.isEmpty
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return }
        let name = HTTPFieldName(String(decoding: line[..<colon], as: UTF8.self))
        guard let name else { return }
        let isList = Self.addressLists.contains(name)
        if isList, isCut { return known.remove(name) }
        if isList || Self.names.contains(name) { known.append(name, ascii: line[(colon + 1)...]) }
    }
}

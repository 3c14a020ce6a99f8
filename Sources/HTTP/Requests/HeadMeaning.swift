/// The properties of a request that its fields determine: the length of its body, and whether the connection is kept.
struct HeadMeaning {
    var framing = BodyFraming.none
    var keepsAlive: Bool
    var expectsContinue = false

    private var hosts = 0
    private var lengths = 0
    private var length = 0
    private var codings = 0
    private var closes = false
    private var asksToKeepAlive = false

    /// Reads the fields that determine the framing and the connection.
    ///
    /// - Parameter entries: The field lines. For an absolute-form target, a Host with its authority is added (RFC 9112
    ///   §3.2.2).
    /// - Throws: An `HTTPRejection` for an invalid, repeated or missing Host, for invalid framing, and for an unknown
    ///   Expect.
    init(
        _ bytes: UnsafeRawBufferPointer, _ entries: inout [HTTPFields.Entry], _ line: RequestLine
    ) throws(HTTPRejection) {
        keepsAlive = line.version == .http11
        let isAbsolute = line.target.authorityEnd > line.target.authorityStart
        for index in entries.indices {
            let known = entries[index].known
            switch known {
            case .host, .contentLength, .transferEncoding, .connection, .expect: break
            default: continue
            }
            let start = Int(entries[index].valueStart)
            try read(known, bytes.part(start, start &+ Int(entries[index].valueLength)), line.version)
            if known == .host, isAbsolute { entries[index].standIn(line.target) }
        }
        if hosts == 0 {
            guard line.version == .http10 else { throw .missingHost }
            if isAbsolute { entries.append(HTTPFields.Entry(authorityOf: line.target)) }
        }
        if codings > 0 {
            // RFC 9112 §6.3: a message with both framings is a smuggling attempt or the error of a proxy.
            guard lengths == 0 else { throw .twoFramings }
            framing = .chunked
        } else if lengths > 0 {
            framing = .length(length)
        }
        keepsAlive = !closes && (keepsAlive || asksToKeepAlive)
        if framing == .none || framing == .length(0) { expectsContinue = false }
    }

    private mutating func read(
        _ known: KnownField, _ value: UnsafeRawBufferPointer, _ version: HTTPVersion
    ) throws(HTTPRejection) {
        switch known {
        case .host:
            hosts += 1
            guard hosts == 1 else { throw .twoHosts }
            guard HostSyntax.isValid(value) else { throw .malformedHost }
        case .contentLength:
            lengths += 1
            guard lengths == 1 else { throw .twoLengths }
            length = try Self.length(value)
        case .transferEncoding:
            codings += 1
            guard codings == 1 else { throw .twoTransferEncodings }
            guard version == .http11 else { throw .transferEncodingInHTTP10 }
            guard value.equalsIgnoringCase("chunked") else { throw .transferEncoding(value) }
        case .connection:
            value.forEachListElement { option in
                if option.equalsIgnoringCase("close") { closes = true }
                if option.equalsIgnoringCase("keep-alive") { asksToKeepAlive = true }
            }
        case .expect:
            guard value.equalsIgnoringCase("100-continue") else { throw .unknownExpectation }
            // RFC 9110 §10.1.1: the server ignores the expectation of an HTTP/1.0 client.
            expectsContinue = version == .http11
        default:
            break
        }
    }

    /// Parses a Content-Length: digits only (RFC 9110 §8.6).
    ///
    /// - Throws: An `HTTPRejection`: 400 for a malformed number, 413 for a number greater than 10^18.
    private static func length(_ value: UnsafeRawBufferPointer) throws(HTTPRejection) -> Int {
        guard !value.isEmpty else { throw .malformedLength }
        for byte in value where !byte.isDigit { throw .malformedLength }
        var length = 0
        for byte in value {
            let (product, overflow) = length.multipliedReportingOverflow(by: 10)
            guard !overflow, product <= 1_000_000_000_000_000_000 - 10 else { throw .lengthOverflow }
            length = product + Int(byte &- 0x30)
        }
        return length
    }
}

extension HTTPFields.Entry {
    /// Creates a Host field whose value is the authority of an absolute-form target.
    init(authorityOf target: RequestTarget.Shape) {
        self.init(known: .host, nameLength: 0, nameStart: 0, valueStart: 0, valueLength: 0)
        standIn(target)
    }

    mutating func standIn(_ target: RequestTarget.Shape) {
        valueStart = target.authorityStart
        valueLength = target.authorityEnd - target.authorityStart
    }
}

/// What the fields of a head say about the message itself: its host, the length of its body, and the connection.
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

    /// - Parameter entries: Host gets the value of an absolute-form's authority (RFC 9112 §3.2.2).
    init(
        _ bytes: UnsafeRawBufferPointer, _ entries: inout [HTTPFields.Entry], _ line: RequestLine
    ) throws(HTTPRefusal) {
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
            // RFC 9112 §6.3: both framings present is a smuggling attempt or a broken proxy.
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
    ) throws(HTTPRefusal) {
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
            // RFC 9110 §10.1.1: from an HTTP/1.0 client it is to be ignored.
            expectsContinue = version == .http11
        default:
            break
        }
    }

    /// RFC 9110 §8.6: digits and nothing else.
    private static func length(_ value: UnsafeRawBufferPointer) throws(HTTPRefusal) -> Int {
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
    /// A Host field whose value is the authority of an absolute-form target.
    init(authorityOf target: RequestTarget.Shape) {
        self.init(known: .host, nameLength: 0, nameStart: 0, valueStart: 0, valueLength: 0)
        standIn(target)
    }

    mutating func standIn(_ target: RequestTarget.Shape) {
        valueStart = target.authorityStart
        valueLength = target.authorityEnd - target.authorityStart
    }
}

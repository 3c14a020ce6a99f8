/// Encodes responses (RFC 9112 §4) into the output buffer of a connection.
public enum ResponseEncoder {
    /// Appends a status line, all fields and the empty line that ends the head.
    ///
    /// The transport sets the fields about the message: Connection, Content-Length, Date, Keep-Alive, Trailer,
    /// Transfer-Encoding, Upgrade and X-Request-ID. These fields are ignored in `response`.
    ///
    /// - Parameters:
    ///   - contentLength: The length of the body in bytes; ignored for a status without a body. `nil` for an unknown
    ///     length: the body is then chunked in HTTP/1.1, and ends with the connection in HTTP/1.0.
    ///   - date: The current time from `HTTPDate.text`, 29 bytes.
    ///   - requestID: The value of X-Request-ID; if empty, the field is not sent.
    ///   - keepAlive: Whether the connection stays open; ignored if the body ends with the connection.
    public static func appendHead(
        _ response: borrowing HTTPResponse, contentLength: Int?, date: [UInt8], requestID: String, keepAlive: Bool,
        version: HTTPVersion, to output: inout [UInt8]
    ) {
        let status = response.status
        let fields = response.fields
        let start = output.count
        // Everything except the fields, the date and the request ID takes less than 200 bytes.
        let room = 200 + fields.encodedBytes + date.count + requestID.utf8.count
        output.append(contentsOf: repeatElement(0, count: room))
        let written = output.withUnsafeMutableBytes { buffer in
            var writer = HeadWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            writer.put(status)
            writer.put("Date: ")
            date.withUnsafeBytes { writer.put($0) }
            writer.put("\r\n")
            let closes = putFraming(status, contentLength, version, &writer)
            if closes || !keepAlive {
                writer.put("Connection: close\r\n")
            } else if version == .http10 {
                writer.put("Connection: keep-alive\r\n")
            }
            if !requestID.isEmpty {
                writer.put("X-Request-ID: ")
                writer.put(value: requestID)
                writer.put("\r\n")
            }
            fields.write(to: &writer)
            writer.put("\r\n")
            return writer.count
        }
        output.removeLast(room - written)
    }

    /// Writes the framing fields. Returns whether the body ends with the connection.
    private static func putFraming(
        _ status: HTTPStatus, _ contentLength: Int?, _ version: HTTPVersion, _ writer: inout HeadWriter
    ) -> Bool {
        if status.isBodyless { return false }
        if let contentLength {
            writer.put("Content-Length: ")
            writer.put(decimal: max(contentLength, 0))
            writer.put("\r\n")
            return false
        }
        guard version == .http11 else { return true }
        writer.put("Transfer-Encoding: chunked\r\n")
        return false
    }

    /// Appends one chunk of a chunked body (RFC 9112 §7.1). Appends nothing if `bytes` is empty, because an empty chunk
    /// ends the body.
    public static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(hexadecimal: bytes.count)
        output.append(literal: "\r\n")
        output.append(contentsOf: bytes)
        output.append(literal: "\r\n")
    }

    /// The last chunk, which ends a chunked body without trailers.
    public static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)

    /// The interim response `100 Continue`, which asks the client to send the body (RFC 9110 §15.2.1).
    public static let continueHead: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}

extension HeadWriter {
    /// Writes the status line. The code is clamped to 100 to 599.
    fileprivate mutating func put(_ status: HTTPStatus) {
        put("HTTP/1.1 ")
        put(decimal: Int(min(max(status.code, 100), 599)))
        put(UInt8(ascii: " "))
        put(status.reasonPhrase)
        put("\r\n")
    }
}

extension HTTPFields {
    /// An upper bound of the bytes that `write` needs. Each line has a colon, a space and CR LF: four bytes. The name
    /// of a known field may be missing from `bytes`; the longest known name has 32 bytes.
    fileprivate var encodedBytes: Int {
        var count = 0
        for entry in entries { count &+= 40 &+ Int(entry.nameLength) &+ Int(entry.valueLength) }
        return count
    }

    /// Writes all lines except the fields that only the transport sets.
    fileprivate func write(to writer: inout HeadWriter) {
        bytes.withUnsafeBytes { buffer in
            for entry in entries {
                switch entry.known {
                case .connection, .contentLength, .date, .keepAlive, .trailer, .transferEncoding, .upgrade, .xRequestID:
                    continue
                case .anyOther:
                    let start = Int(entry.nameStart)
                    writer.put(buffer.part(start, start + Int(entry.nameLength)))
                default:
                    writer.put(entry.known.text)
                }
                writer.put(": ")
                let start = Int(entry.valueStart)
                writer.put(buffer.part(start, start + Int(entry.valueLength)))
                writer.put("\r\n")
            }
        }
    }
}

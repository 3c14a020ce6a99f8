/// Writes answers (RFC 9112 §4) into a connection's output buffer.
public enum ResponseEncoder {
    /// Appends a status line and all fields with the empty line behind them.
    ///
    /// Fields that speak of the message itself (Connection, Content-Length, Date, Keep-Alive, Trailer,
    /// Transfer-Encoding, Upgrade, X-Request-ID) are the transport's to set: those of `response` are left out.
    ///
    /// - Parameters:
    ///   - contentLength: The length of the body; `nil` sends it chunked, or up to the end of the connection in HTTP/1.0.
    ///     Not used for a status that has no body.
    ///   - date: The time as `HTTPDate.text` has it, 29 bytes.
    ///   - requestID: What X-Request-ID says; empty leaves it out.
    ///   - keepAlive: Whether the connection stays open; ignored where the end of the connection ends the body.
    public static func appendHead(
        _ response: borrowing HTTPResponse, contentLength: Int?, date: [UInt8], requestID: String, keepAlive: Bool,
        version: HTTPVersion, to output: inout [UInt8]
    ) {
        let status = response.status
        let fields = response.fields
        let start = output.count
        // Everything but the fields, the date and the identifier takes less than 200 bytes.
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

    /// Returns whether the end of the connection ends the body.
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

    /// Appends one chunk of a chunked body; nothing for no bytes, since an empty chunk would end the body.
    public static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(hexadecimal: bytes.count)
        output.append(literal: "\r\n")
        output.append(contentsOf: bytes)
        output.append(literal: "\r\n")
    }

    /// What ends a chunked body; there are no trailers.
    public static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)

    /// The interim answer that asks for the body (RFC 9110 §15.2.1).
    public static let continueHead: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}

extension HeadWriter {
    /// The status line. The code has three digits even if a handler made up another number.
    fileprivate mutating func put(_ status: HTTPStatus) {
        put("HTTP/1.1 ")
        put(decimal: Int(min(max(status.code, 100), 599)))
        put(UInt8(ascii: " "))
        put(status.reasonPhrase)
        put("\r\n")
    }
}

extension HTTPFields {
    /// At least the bytes that `write` takes: two for the colon and blank, two for the line's end. A known name need not
    /// lie in the bytes; the longest has 32.
    fileprivate var encodedBytes: Int {
        var count = 0
        for entry in entries { count &+= 40 &+ Int(entry.nameLength) &+ Int(entry.valueLength) }
        return count
    }

    /// Puts all lines that a handler may set.
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

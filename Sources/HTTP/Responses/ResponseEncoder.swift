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
        output.append(literal: "HTTP/1.1 ")
        output.append(decimal: Int(status.code))
        output.append(UInt8(ascii: " "))
        output.append(literal: status.reasonPhrase)
        output.append(literal: "\r\nDate: ")
        output.append(contentsOf: date)
        output.append(literal: "\r\n")
        var closes = !keepAlive
        if !status.isBodyless {
            if let contentLength {
                output.append(literal: "Content-Length: ")
                output.append(decimal: contentLength)
                output.append(literal: "\r\n")
            } else if version == .http11 {
                output.append(literal: "Transfer-Encoding: chunked\r\n")
            } else {
                closes = true
            }
        }
        if closes {
            output.append(literal: "Connection: close\r\n")
        } else if version == .http10 {
            output.append(literal: "Connection: keep-alive\r\n")
        }
        if !requestID.isEmpty {
            output.append(literal: "X-Request-ID: ")
            output.append(value: requestID)
            output.append(literal: "\r\n")
        }
        response.fields.write(to: &output)
        output.append(literal: "\r\n")
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

extension HTTPFields {
    /// Appends all lines that a handler may set.
    fileprivate func write(to output: inout [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            for entry in entries {
                switch entry.known {
                case .connection, .contentLength, .date, .keepAlive, .trailer, .transferEncoding, .upgrade, .xRequestID:
                    continue
                case .anyOther:
                    let start = Int(entry.nameStart)
                    output.append(contentsOf: buffer.part(start, start + Int(entry.nameLength)))
                default:
                    output.append(literal: entry.known.text)
                }
                output.append(literal: ": ")
                let start = Int(entry.valueStart)
                output.append(contentsOf: buffer.part(start, start + Int(entry.valueLength)))
                output.append(literal: "\r\n")
            }
        }
    }
}

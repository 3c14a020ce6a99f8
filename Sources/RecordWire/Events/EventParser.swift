/// An event of a stream of server-sent events.
package struct ServerSentEvent: Hashable, Sendable {
    /// The type; `message` if the stream names none.
    package var type: String
    /// The lines of the data, with line feeds between them.
    package var data: [UInt8]
    /// The last id of the stream up to this event; empty if there is none.
    package var lastID: String

    /// Creates an event.
    package init(type: String = "message", data: [UInt8], lastID: String = "") {
        self.type = type
        self.data = data
        self.lastID = lastID
    }
}

/// A parser of server-sent events. The stream may be split into pieces at any byte.
///
/// An event that the stream has not completed when it ends is not returned.
///
/// - Source: WHATWG HTML, "Interpreting an event stream".
package struct EventParser: Sendable {
    /// The error for an event of more bytes than the parser accepts.
    package struct OversizedEvent: Error {}

    /// The id with which a client continues the stream; empty if there is none. An id counts once the blank line after
    /// it has arrived, with or without data.
    package private(set) var lastID: String
    /// The time in milliseconds that the stream asks clients to wait before they connect again; `nil` if it asks for
    /// none.
    package private(set) var retry: Int64?
    private let maxBytes: Int
    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last line ended with CR. An LF that follows belongs to the same line end.
    private var hasEndedWithCR = false
    private var type = ""
    private var data: [UInt8] = []
    private var id: String

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Creates a parser at the start of a stream.
    ///
    /// - Parameters:
    ///   - lastID: The id after which the stream starts.
    ///   - maxBytes: The maximum size of the data of an event together with the current line, in bytes.
    package init(lastID: String = "", maxBytes: Int = 32 << 20) {
        self.lastID = lastID
        self.maxBytes = maxBytes
        id = lastID
    }

    /// Parses the next bytes of the stream, and returns the events that they complete.
    ///
    /// - Throws: `OversizedEvent`. The parser cannot be used afterwards.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(OversizedEvent) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var start = 0
        for position in bytes.indices {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else { continue }
            let isRestOfCRLF = byte == UInt8(ascii: "\n") && hasEndedWithCR && line.isEmpty && position == start
            hasEndedWithCR = byte == UInt8(ascii: "\r")
            if !isRestOfCRLF {
                try append(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                if let event = endLine() { events.append(event) }
            }
            start = position + 1
        }
        try append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return events
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OversizedEvent) {
        guard bytes.count <= maxBytes - data.count - line.count else { throw OversizedEvent() }
        line.append(contentsOf: bytes)
    }

    /// Interprets the current line, and starts the next one. Returns the event that a blank line completes.
    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        // A line that begins with a colon is a comment. Its empty name is not known either.
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(UInt8(ascii: "\n"))
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }:
            retry = Int64(String(decoding: value, as: UTF8.self)) ?? retry
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> ServerSentEvent? {
        lastID = id
        defer {
            type = ""
            data.removeAll()
        }
        guard !data.isEmpty else { return nil }
        data.removeLast()
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastID: lastID)
    }
}

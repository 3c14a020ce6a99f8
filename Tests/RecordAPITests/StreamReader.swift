import Foundation
import HTTP
import RecordWire
import Testing

/// A client of an event stream. It reads what the stream has sent so far, without waiting.
final class StreamReader {
    /// One server-sent event.
    struct Event: Equatable {
        var name = ""
        var data = ""
        var id: String?

        var json: JSONValue? { try? JSONValue.parse(Array(data.utf8)) }
        var record: String? { json?["recordName"]?.string }
    }

    private let source: any HTTPEventSource
    private var clock: UInt64 = 1
    /// The id of the last event that had one.
    private(set) var lastID: String?
    /// The ids without data that heartbeats have sent.
    private(set) var silentIDs = 0
    private(set) var hasEnded = false
    private(set) var retries: [String] = []

    init(_ response: Response) throws {
        try #require(response.status == 200, "\(response.text)")
        source = try #require(response.events)
        source.tick(now: clock)
    }

    /// Returns the events that the stream has until it is silent or ends.
    func read() async throws -> [Event] {
        var events: [Event] = []
        while !hasEnded {
            // A silent stream sends a heartbeat, after all events.
            clock += 15_000_000_000
            source.tick(now: clock)
            guard let piece = try await source.next() else {
                hasEnded = true
                break
            }
            let before = (events.count, retries.count)
            for block in String(decoding: piece, as: UTF8.self).components(separatedBy: "\n\n") where !block.isEmpty {
                take(block, &events)
            }
            if (events.count, retries.count) == before { break }
        }
        return events
    }

    /// Lets a second pass on a stream that has something to send, and returns what it sends next. The time is too short
    /// for a heartbeat.
    func readBusy() async throws -> [Event] {
        tick()
        guard !hasEnded, let piece = try await source.next() else {
            hasEnded = true
            return []
        }
        var events: [Event] = []
        for block in String(decoding: piece, as: UTF8.self).components(separatedBy: "\n\n") where !block.isEmpty {
            take(block, &events)
        }
        return events
    }

    private func take(_ block: String, _ events: inout [Event]) {
        var event = Event()
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = String(parts[1].drop { $0 == " " })
            switch parts[0] {
            case "event": event.name = value
            case "data": event.data = value
            case "id": event.id = value
            case "retry": retries.append(value)
            default: #expect(parts[0].isEmpty, "\(line)")
            }
        }
        if let id = event.id {
            #expect(!id.isEmpty, "No browser sends an empty id back.")
            lastID = id
        }
        if event.data.isEmpty { silentIDs += event.id == nil ? 0 : 1 } else { events.append(event) }
    }

    func tick() {
        clock += 1_000_000_000
        source.tick(now: clock)
    }

    func leave() { source.clientDidLeave() }
    func stop() { source.serverWillStop() }
}

extension TestDatabase {
    /// Opens an event stream.
    func stream(_ query: String = "", as who: Who, after id: String? = nil) async throws -> StreamReader {
        var headers = [("Accept", "text/event-stream")]
        if let id { headers.append(("Last-Event-ID", id)) }
        return try StreamReader(await call(.get, "/changes" + query, as: who, headers: headers))
    }
}

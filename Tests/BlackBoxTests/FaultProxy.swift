import Foundation
import RecordWire
import TestSupport
import Threads

/// A proxy before the source of an import. It fails in the ways of real servers and networks, and tells a test about
/// each request.
final class FaultProxy: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// The connection ends without a response.
        case drop
        /// Half of the response arrives.
        case cut
        /// 503 TRY_AGAIN_LATER with Retry-After.
        case unavailable
        /// 429 THROTTLED with retryAfter in the body.
        case throttled
        /// An item of the list is TRY_AGAIN_LATER.
        case item
    }

    private struct State {
        var requests = 0
        var assets = 0
        var faults: [Int: Fault] = [:]
        var hooks: [Int: @Sendable () -> Void] = [:]
        var assetHooks: [Int: @Sendable () -> Void] = [:]
    }

    private let receiver: ScriptedReceiver
    private let state: Locked<State>

    var port: UInt16 { receiver.port }
    /// The number of requests, without downloads and lookups: how many of these there are depends on expired URLs.
    var requests: Int { state.withLock { $0.requests } }

    /// - Parameter server: The port of the source.
    init(to server: UInt16) {
        let state = Locked(State())
        self.state = state
        receiver = ScriptedReceiver { peer in
            guard let request = Request(peer.request()) else { return }
            Self.serve(request, peer, state, server)
        }
    }

    /// What happens to a request, by its number from 1.
    func plan(_ faults: [Int: Fault]) {
        state.withLock { $0.faults = faults }
    }

    /// Calls a function when a request has come, before it has a response.
    func atRequest(_ number: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks[number] = body }
    }

    /// Calls a function when a download has come, before it has a response.
    func atDownload(_ number: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.assetHooks[number] = body }
    }

    struct Request: Sendable {
        let method: String
        let target: String
        let fields: [String: String]
        let body: String

        init?(_ text: String) {
            guard let end = text.range(of: "\r\n\r\n") else { return nil }
            let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ").map(String.init)
            guard words.count == 3 else { return nil }
            (method, target, body) = (words[0], words[1], String(text[end.upperBound...]))
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { fields[parts[0].lowercased()] = parts[1] }
            }
            self.fields = fields
        }
    }

    private static func serve(
        _ request: Request, _ peer: ScriptedReceiver.Peer, _ state: Locked<State>, _ server: UInt16
    ) {
        let isAsset = request.target.hasPrefix("/assets/")
        let (fault, hook, asset) = state.withLock { state in
            if isAsset {
                state.assets += 1
                return (nil as Fault?, state.assetHooks[state.assets], state.assets)
            }
            guard !request.target.contains("records/lookup") else { return (nil, nil, 0) }
            state.requests += 1
            return (state.faults[state.requests], state.hooks[state.requests], 0)
        }
        hook?()
        // Of the files, one URL in five has expired, one download in seven breaks off.
        if isAsset, asset.isMultiple(of: 5) { return send(peer, 410, body: Array("{}".utf8)) }
        switch fault {
        case .drop?: return
        case .unavailable?:
            return send(peer, 503, body: error("TRY_AGAIN_LATER"), extra: "Retry-After: 0\r\n")
        case .throttled?: return send(peer, 429, body: error("THROTTLED", retryAfter: 0))
        case .cut?, .item?, nil: break
        }
        guard let response = forward(request, server) else { return }
        var body = response.body
        if fault == .item { body = failingFirstItem(of: body) }
        var extra = ""
        for name in ["content-type", "retry-after", "x-apple-cloudkit-web-auth-token"] {
            if let value = response.fields[name] { extra += "\(name): \(value)\r\n" }
        }
        let isCut = fault == .cut || isAsset && asset.isMultiple(of: 7)
        send(peer, response.status, body: body, extra: extra, cutAt: isCut ? body.count / 2 : nil)
    }

    private static func forward(_ request: Request, _ server: UInt16) -> HTTPClient.Response? {
        let fields = request.fields.filter { $0.key.hasPrefix("x-apple") }
        let client = try? HTTPClient(port: server, host: request.fields["host"] ?? "localhost")
        return try? client?.send(
            request.method, request.target, bytes: request.method == "GET" ? nil : Array(request.body.utf8),
            type: "application/json", fields: fields)
    }

    private static func error(_ code: String, retryAfter: Int64? = nil) -> [UInt8] {
        var object = JSONObject([("serverErrorCode", .string(code)), ("reason", "later")])
        if let retryAfter { object["retryAfter"] = .integer(retryAfter) }
        return JSONValue.object(object).bytes
    }

    /// Replaces the first record of a list by an error.
    private static func failingFirstItem(of body: [UInt8]) -> [UInt8] {
        guard var object = (try? JSONValue.parse(body))?.object, var records = object["records"]?.array,
            let name = records.first?["recordName"]
        else { return body }
        records[0] = ["recordName": name, "serverErrorCode": "TRY_AGAIN_LATER", "reason": "later", "retryAfter": 0]
        object["records"] = .array(records)
        return JSONValue.object(object).bytes
    }

    private static func send(
        _ peer: ScriptedReceiver.Peer, _ status: Int, body: [UInt8], extra: String = "", cutAt: Int? = nil
    ) {
        let head = "HTTP/1.1 \(status) X\r\n\(extra)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        peer.send(Array(head.utf8) + body.prefix(cutAt ?? body.count))
    }
}
